import { workerData } from 'node:worker_threads';
import { LogReader } from '../recorder/reader/log-reader';
import { serveJobs } from '../workers/serve-jobs';
import { ConvergenceBuilder, type ConvergenceJobs } from './convergence-builder';

const { file } = workerData as { readonly file: string };
serveJobs<ConvergenceJobs>(new ConvergenceBuilder(new LogReader(file)).runners);
