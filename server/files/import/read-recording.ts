import { Worker } from 'node:worker_threads';
import { builtProgram } from '../../project-root';
import { unpackBodies } from '../../threads/source-messages';
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
  const workerData: RecordingWorkerData = { file, redactionKey };
  const worker = new Worker(builtProgram('recording-worker'), {
    name: 'recording-worker',
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  });
  const waiting: RecordingNews[] = [];
  let failure: Error | undefined;
  let wake = (): void => undefined;
  const fail = (reason: string): void => {
    failure ??= new Error(`reading the file failed: ${reason}`);
    wake();
  };
  worker.on('message', (news: RecordingNews) => {
    waiting.push(news);
    wake();
  });
  worker.on('error', (error) => fail(error.message));
  worker.on('exit', () => fail('its thread ended'));
  try {
    for (;;) {
      const news = waiting.shift();
      if (news === undefined) {
        if (failure !== undefined) throw failure;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      if (news.kind === 'over') return;
      if (news.kind === 'unreadable') throw new XdscopeFileError(news.code, news.message);
      if (news.kind === 'bodies') yield { kind: 'bodies', bodies: unpackBodies(news.bodies) };
      else yield news.record;
      worker.postMessage('next');
    }
  } finally {
    await worker.terminate();
  }
}
