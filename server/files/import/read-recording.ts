import type { BodyPort } from '../../collect/collector/body-post';
import type { BodyRoute } from '../../collect/collector/body-route';
import type { CrossingBodies } from '../../collect/collector/source-messages';
import { readWorkerMessages } from '../../workers/worker-messages';
import type { ReadRecord } from '../xdscope-format/file-record';
import { XdscopeFileError } from '../xdscope-format/xdscope-file-error';
import type { FileProgramData } from './file-messages';
import type { WaitingBodies } from './waiting-bodies';

export interface RecordingWorkerData {
  readonly file: string;
  readonly redactionKey: Uint8Array;
  /** Limit for all blocks together. */
  readonly maxInflatedBytes: number;
  /** Absent: bodies come with the messages. */
  readonly bodyPort?: BodyPort | undefined;
}

type RecordWithoutBodies = Exclude<ReadRecord, { kind: 'bodies' }>;

/** A record of another thread has bodies without their bytes. */
export type ImportedRecord = RecordWithoutBodies | ({ readonly kind: 'bodies' } & WaitingBodies);

/** A message of the thread that reads a recording. */
export type RecordingMessage =
  | { readonly kind: 'record'; readonly record: RecordWithoutBodies }
  | { readonly kind: 'bodies'; readonly bodies: CrossingBodies }
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
  route: BodyRoute,
  signal: AbortSignal,
): AsyncGenerator<ImportedRecord> {
  const doing = 'reading the file';
  const reads: FileProgramData['reads'] = 'recording';
  const { bodyPort } = data;
  const transfer = bodyPort === undefined ? [] : [bodyPort.port];
  const messages = readWorkerMessages<RecordingMessage, 'acknowledged'>({
    program: { name: 'file', data: { reads, ...data }, transfer, maxHeapMb },
    doing,
    acknowledgementOf: () => 'acknowledged',
    signal,
  });
  for await (const message of messages) {
    if (message.kind === 'end') return;
    if (message.kind === 'unreadable') throw new XdscopeFileError(message.code, message.message);
    if (message.kind === 'bodies') yield { kind: 'bodies', ...route.receive(message.bodies) };
    else yield message.record;
  }
  throw new Error(`${doing} failed: its thread ended`);
}
