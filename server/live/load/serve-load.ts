import { damageOf } from '../../store/recorder/damaged-file';
import type { DataFile } from '../../workers/compute';
import type { SteppedRunners } from '../../workers/serve-jobs';
import { LoadJobRunner, type LoadJobs } from './load-jobs';
import { openLoadFile } from './open-load-file';

export function serveLoad({ file }: DataFile): SteppedRunners<LoadJobs> {
  const runner = new LoadJobRunner(() => openLoadFile(file));
  const named = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw damageOf(file, error);
    });
  return {
    open: () => named(runner.open()),
    append: (batch) => named(runner.append(batch)),
    tidy: (input) => named(runner.tidy(input)),
    read: (question) => named(runner.read(question)),
    excerpt: (question) => named(runner.excerpt(question)),
    excerptPart: (question) => named(runner.excerptPart(question)),
    close: () => runner.close(),
  };
}
