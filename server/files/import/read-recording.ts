import { type PackedBodies, unpackBodies } from '../../packed-bodies';
import { readWorkerMessages } from '../../workers/worker-messages';
import type { ReadRecord } from '../xdscope-format/file-record';
import { XdscopeFileError } from '../xdscope-format/xdscope-file-error';
import type { FileProgramData } from './file-messages';

export interface RecordingWorkerData {
  readonly file: string;
  readonly redactionKey: Uint8Array;
  /** Limit for all blocks together. */
  readonly maxInflatedBytes: number;
}

/** A message of the thread that reads a recording. */
export type RecordingMessage =
  | { readonly kind: 'record'; readonly record: Exclude<ReadRecord, { kind: 'bodies' }> }
  | { readonly kind: 'bodies'; readonly bodies: PackedBodies }
  | { readonly kind: 'unreadable'; readonly code: XdscopeFileError['code']; readonly message: string }
  | { readonly kind: 'end' };

/** A file that needs more memory ends its thread, not the process. */
const maxHeapMb = 768;

/**
 * The records of a file in small parts, from a thread that runs readXdscopeFile(). Throws XdscopeFileError if nothing
 * can be read. Ends the thread when the caller stops or `signal` aborts.
 */
export async function* readRecording(
  data: RecordingWorkerData,
  signal: AbortSignal,
): AsyncGenerator<ReadRecord> {
  const doing = 'reading the file';
  const reads: FileProgramData['reads'] = 'recording';
  const messages = readWorkerMessages<RecordingMessage, 'acknowledged'>({
    program: { name: 'file', data: { reads, ...data }, maxHeapMb },
    doing,
    acknowledgementOf: () => 'acknowledged',
    signal,
  });
  for await (const message of messages) {
    if (message.kind === 'end') return;
    if (message.kind === 'unreadable') throw new XdscopeFileError(message.code, message.message);
    if (message.kind === 'bodies') yield { kind: 'bodies', bodies: unpackBodies(message.bodies) };
    else yield message.record;
  }
  throw new Error(`${doing} failed: its thread ended`);
}
