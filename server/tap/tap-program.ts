import { workerData } from 'node:worker_threads';

/** The part of the taps that a thread of this program has, beside the data of that part. */
export interface TapProgramData {
  readonly role: 'relay' | 'recording';
}

const { role }: TapProgramData = workerData;
await (role === 'relay' ? import('./proxy/tap-relay-worker') : import('./recording/tap-recording-worker'));
