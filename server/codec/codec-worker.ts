import { parentPort, workerData } from 'node:worker_threads';
import { type CodecJobKind, type CodecJobs, codecJobRunners } from './codec-job';
import { createRedactionMarker } from './redaction-marker';

export interface CodecWorkerData {
  readonly redactionKey: Uint8Array;
}

export interface CodecWorkerRequest<K extends CodecJobKind = CodecJobKind> {
  readonly kind: K;
  readonly input: CodecJobs[K]['input'];
}

/** Errors travel as data, so that a job that fails is told apart from a worker that dies. */
export type CodecWorkerAnswer =
  | { readonly ok: true; readonly output: CodecJobs[CodecJobKind]['output'] }
  | { readonly ok: false; readonly message: string };

const { redactionKey }: CodecWorkerData = workerData;
const runners = codecJobRunners(createRedactionMarker(redactionKey));

function run<K extends CodecJobKind>({ kind, input }: CodecWorkerRequest<K>): CodecWorkerAnswer {
  try {
    return { ok: true, output: runners[kind](input) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (request: CodecWorkerRequest) => parentPort?.postMessage(run(request)));
