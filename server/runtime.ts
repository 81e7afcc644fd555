import type { Api } from './api/api';
import type { StreamHub } from './streaming/stream-hub';

export interface Runtime {
  readonly api: Api;
  readonly stream: StreamHub;
  close(): Promise<void>;
}
