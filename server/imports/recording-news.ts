import type { ReadRecord } from '../dumps/xdscope-file/file-record';
import type { XdscopeFileError } from '../dumps/xdscope-file/xdscope-file-error';
import type { PackedBodies } from '../threads/source-messages';

export interface RecordingWorkerData {
  readonly file: string;
  readonly redactionKey: Uint8Array;
}

/** What the thread that reads a recording tells. The next record is told when one is asked for. */
export type RecordingNews =
  | { readonly kind: 'record'; readonly record: Exclude<ReadRecord, { kind: 'bodies' }> }
  | { readonly kind: 'bodies'; readonly bodies: PackedBodies }
  | { readonly kind: 'unreadable'; readonly code: XdscopeFileError['code']; readonly message: string }
  | { readonly kind: 'over' };
