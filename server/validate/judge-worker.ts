import { workerData } from 'node:worker_threads';
import { createRedactionMarker } from '../codec/redaction-marker';
import { serveJobs } from '../threads/serve-jobs';
import { type JudgeJobs, judgeJobRunners } from './judge-job';

export interface JudgeWorkerData {
  readonly redactionKey: Uint8Array;
}

const { redactionKey }: JudgeWorkerData = workerData;
serveJobs<JudgeJobs>(judgeJobRunners(createRedactionMarker(redactionKey)));
