import { serveJobs } from '../threads/serve-jobs';
import { type ConvergenceJobs, ConvergenceMaker } from './convergence-maker';

serveJobs<ConvergenceJobs>(new ConvergenceMaker().runners);
