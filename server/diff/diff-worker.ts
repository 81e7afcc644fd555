import { serveJobs } from '../threads/serve-jobs';
import { type DiffJobs, DiffMaker } from './diff-maker';

serveJobs<DiffJobs>(new DiffMaker().runners);
