import type { DataFile } from '../../workers/compute';
import type { JobRunners } from '../../workers/serve-jobs';
import { damageOf } from '../damaged-file';
import { LoadJobRunner, type LoadJobs } from './load-jobs';

export function serveLoad({ file }: DataFile): JobRunners<LoadJobs> {
  const runner = new LoadJobRunner(file);
  const named = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw damageOf(file, error);
    }
  };
  return {
    open: () => named(() => runner.open()),
    append: (batch) => named(() => runner.append(batch)),
    tidy: (input) => named(() => runner.tidy(input)),
    read: (question) => named(() => runner.read(question)),
    excerpt: (question) => named(() => runner.excerpt(question)),
    excerptPart: (question) => named(() => runner.excerptPart(question)),
    close: () => runner.close(),
  };
}
