import { workerData } from 'node:worker_threads';
import type { TapProgramData } from './tap-messages';

const { role }: TapProgramData = workerData;
await (role === 'relay' ? import('./proxy/tap-relay-worker') : import('./recording/tap-recording-worker'));
