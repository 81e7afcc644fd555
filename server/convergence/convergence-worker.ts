import { workerData } from 'node:worker_threads';
import { LogReader } from '../recorder/log-reader';
import { serveJobs } from '../threads/serve-jobs';
import { type ConvergenceJobs, ConvergenceMaker } from './convergence-maker';

const { file } = workerData as { readonly file: string };
serveJobs<ConvergenceJobs>(new ConvergenceMaker(new LogReader(file)).runners);
