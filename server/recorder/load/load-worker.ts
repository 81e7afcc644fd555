import { workerData } from 'node:worker_threads';
import { serveJobs } from '../../threads/serve-jobs';
import { type LoadJobs, LoadKeeper } from './load-jobs';

const { file } = workerData as { readonly file: string };
const keeper = new LoadKeeper(file);

serveJobs<LoadJobs>({
  open: () => keeper.open(),
  append: (batch) => keeper.append(batch),
  tidy: (input) => keeper.tidy(input),
  read: (question) => keeper.read(question),
  excerpt: (question) => keeper.excerpt(question),
  excerptPart: (question) => keeper.excerptPart(question),
  close: () => keeper.close(),
});
