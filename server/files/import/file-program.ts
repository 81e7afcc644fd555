import { workerData } from 'node:worker_threads';
import type { FileProgramData } from './file-messages';

const { reads }: FileProgramData = workerData;
await (reads === 'recording' ? import('./recording-worker') : import('./file-worker'));
