import { makeUsualTypes } from '../codec/root';
import { serveJobs } from '../threads/serve-jobs';
import { type DiffJobs, DiffMaker } from './diff-maker';

// Before anything is to be compared.
makeUsualTypes();

serveJobs<DiffJobs>(new DiffMaker().runners);
