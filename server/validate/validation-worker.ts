import { workerData } from 'node:worker_threads';
import { createRedactionMarker } from '../codec/redaction-marker';
import { serveJobs } from '../workers/serve-jobs';
import { type ValidationJobs, validateJobRunners } from './validation-job';

export interface ValidationWorkerData {
  readonly redactionKey: Uint8Array;
}

const { redactionKey }: ValidationWorkerData = workerData;
serveJobs<ValidationJobs>(validateJobRunners(createRedactionMarker(redactionKey)));
