import { rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { builtProgram } from '../../project-root';
import { nextTurn } from '../../threads/in-slices';
import type { FileCommand, FileNews, FileWorkerData } from './file-news';
import { UploadSender } from './upload-channel';

/** What comes in while it is read. */
export interface Upload {
  /** Each is given away. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** As announced; null: it was not. */
  readonly sizeBytes: number | null;
  /** All of it has come. */
  readonly onReceived: (sizeBytes: number) => void;
}

export interface ReadFileOptions extends Omit<FileWorkerData, 'file'> {
  /** Its path, or what comes in. */
  readonly file: string | Upload;
  readonly signal: AbortSignal;
  /** Path of the thread's program; the built one by default. */
  readonly program?: string;
}

/** A bound of its own: a file that needs more than this ends its thread, not the process. */
const maxHeapMb = 768;
/** What an element is parsed and encoded through lives shortly: with less room it is moved about before it is garbage. */
const youngHeapMb = 48;

/**
 * What a file reports, from a thread of its own that is a few batches ahead; each piece on a turn of the event loop of its
 * own. Ends with the thread, whatever becomes of the caller; throws when the thread fails, an upload does or `signal`
 * aborts.
 */
export async function* readFileNews(options: ReadFileOptions): AsyncGenerator<FileNews> {
  const { file, signal, program = builtProgram('file-worker'), ...data } = options;
  const origin = typeof file === 'string' ? { end: file } : new UploadSender(file.sizeBytes);
  const worker = startWorker(program, { ...data, file: origin.end });
  const waiting: FileNews[] = [];
  let failure: Error | undefined;
  let isOver = false;
  let wake = (): void => undefined;
  const end = (error?: Error): void => {
    failure ??= error;
    isOver = true;
    wake();
  };
  const abort = (): void => end(new Error('the import was canceled'));
  worker.on('message', (news: FileNews) => {
    // Of progress the newest counts.
    if (news.kind === 'progress' && waiting.at(-1)?.kind === 'progress') waiting.pop();
    waiting.push(news);
    wake();
  });
  worker.on('error', (error) => end(new Error(`reading the file failed: ${error.message}`)));
  worker.on('exit', () => end());
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  else if (typeof file !== 'string' && origin instanceof UploadSender) {
    origin.send(file.chunks).then(file.onReceived, end);
  }
  try {
    for (;;) {
      if (signal.aborted) throw failure;
      const next = waiting.shift();
      if (next !== undefined) {
        yield next;
        if (next.kind === 'batch') {
          worker.postMessage({ kind: 'more' } satisfies FileCommand);
          await nextTurn();
        }
      } else if (failure !== undefined) throw failure;
      else if (isOver) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    signal.removeEventListener('abort', abort);
    if (origin instanceof UploadSender) origin.close();
    await worker.terminate();
    rmSync(`${data.unpackedFile}.next`, { force: true });
  }
}

function startWorker(program: string, workerData: FileWorkerData): Worker {
  const { file } = workerData;
  return new Worker(program, {
    name: 'file-worker',
    workerData,
    transferList: typeof file === 'string' ? [] : [file.port],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: youngHeapMb },
  });
}
