import type { Api } from './api';

/** What one process of xdscope is, to the pages. Composed by start-runtime.ts. */
export interface Runtime {
  readonly api: Api;
  /** Ends sources, lab, streams and recorder, in that order, with everything written. */
  close(): Promise<void>;
}
