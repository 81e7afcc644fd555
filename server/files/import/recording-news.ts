import type { PackedBodies } from '../../source-threads/source-messages';
import type { ReadRecord } from '../xdscope-format/file-record';
import type { XdscopeFileError } from '../xdscope-format/xdscope-file-error';

export interface RecordingWorkerData {
  readonly file: string;
  readonly redactionKey: Uint8Array;
}

/** What the thread that reads a recording reports. The next record is reported when one is asked for. */
export type RecordingNews =
  | { readonly kind: 'record'; readonly record: Exclude<ReadRecord, { kind: 'bodies' }> }
  | { readonly kind: 'bodies'; readonly bodies: PackedBodies }
  | { readonly kind: 'unreadable'; readonly code: XdscopeFileError['code']; readonly message: string }
  | { readonly kind: 'over' };
