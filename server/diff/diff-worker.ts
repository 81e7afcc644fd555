import { makeUsualTypes } from '../codec/root';
import { serveJobs } from '../workers/serve-jobs';
import { DiffBuilder, type DiffJobs } from './diff-builder';

// Before anything is to be compared.
makeUsualTypes();

serveJobs<DiffJobs>(new DiffBuilder().runners);
