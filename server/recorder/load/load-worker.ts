import { workerData } from 'node:worker_threads';
import { serveJobs } from '../../threads/serve-jobs';
import { withDamageNamed } from '../damaged-file';
import { LoadJobRunner, type LoadJobs } from './load-jobs';

const { file } = workerData as { readonly file: string };
const keeper = new LoadJobRunner(file);
const named = <T>(work: () => T): T => withDamageNamed(file, work);

serveJobs<LoadJobs>({
  open: () => named(() => keeper.open()),
  append: (batch) => named(() => keeper.append(batch)),
  tidy: (input) => named(() => keeper.tidy(input)),
  read: (question) => named(() => keeper.read(question)),
  excerpt: (question) => named(() => keeper.excerpt(question)),
  excerptPart: (question) => named(() => keeper.excerptPart(question)),
  close: () => keeper.close(),
});
