import { workerData } from 'node:worker_threads';
import { serveJobs } from '../workers/serve-jobs';
import { type CodecJobs, codecJobRunners } from './codec-job';
import { createRedactionMarker } from './redaction-marker';

export interface CodecWorkerData {
  readonly redactionKey: Uint8Array;
}

const { redactionKey }: CodecWorkerData = workerData;
serveJobs<CodecJobs>(codecJobRunners(createRedactionMarker(redactionKey)));
