import { openPostgres } from '../../store/open-postgres';
import { damageOf } from '../../store/recorder/damaged-file';
import type { SteppedRunners } from '../../workers/serve-jobs';
import { LoadJobRunner, type LoadJobs } from './load-jobs';
import type { LoadPlace } from './load-reader';
import { type OpenedLoad, openLoadFile } from './open-load-file';

/** The jobs of a thread run one after the other, and each reads in one transaction. */
const maxConnections = 2;

export function serveLoad(place: LoadPlace): SteppedRunners<LoadJobs> {
  const runner = new LoadJobRunner(() =>
    'file' in place ? openLoadFile(place.file) : openShared(place.url),
  );
  const named = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw 'file' in place ? damageOf(place.file, error) : error;
    });
  return {
    open: () => named(runner.open()),
    append: (batch) => named(runner.append(batch)),
    tidy: (input) => named(runner.tidy(input)),
    read: (question) => named(runner.read(question)),
    excerpt: (question) => named(runner.excerpt(question)),
    excerptPart: (question) => named(runner.excerptPart(question)),
    blocksAfter: (question) => named(runner.blocksAfter(question)),
    takeWaiting: () => runner.takeWaiting(),
    close: () => runner.close(),
  };
}

async function openShared(url: string): Promise<OpenedLoad> {
  return { database: await openPostgres({ url, maxConnections }), assertInPlace: () => undefined };
}
