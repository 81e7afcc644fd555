import { unpackBodies } from '../../source-threads/source-messages';
import { readWorkerMessages } from '../../workers/worker-messages';
import type { ReadRecord } from '../xdscope-format/file-record';
import { XdscopeFileError } from '../xdscope-format/xdscope-file-error';
import type { RecordingNews, RecordingWorkerData } from './recording-news';

/** A bound of its own: a file that needs more than this ends its thread, not the process. */
const maxHeapMb = 768;

/**
 * The records of a file as readXdscopeFile() reads them, in a thread that inflates, checks and hashes: a large file does
 * not hold up who serves pages. Reported in small parts, no more ahead than a few. Throws XdscopeFileError where nothing can
 * be read; ends its thread whatever becomes of the caller.
 */
export async function* readRecording(file: string, redactionKey: Uint8Array): AsyncGenerator<ReadRecord> {
  const data: RecordingWorkerData = { file, redactionKey };
  const doing = 'reading the file';
  const messages = readWorkerMessages<RecordingNews, 'next'>({
    program: { name: 'recording-worker', data, maxHeapMb },
    doing,
    acknowledgementOf: () => 'next',
  });
  for await (const news of messages) {
    if (news.kind === 'over') return;
    if (news.kind === 'unreadable') throw new XdscopeFileError(news.code, news.message);
    if (news.kind === 'bodies') yield { kind: 'bodies', bodies: unpackBodies(news.bodies) };
    else yield news.record;
  }
  throw new Error(`${doing} failed: its thread ended`);
}
