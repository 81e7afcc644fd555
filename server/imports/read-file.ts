import { rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { builtProgram } from '../project-root';
import { nextTurn } from '../threads/in-slices';
import type { FileCommand, FileNews, FileWorkerData } from './file-news';

export interface ReadFileOptions extends FileWorkerData {
  /** One that still comes in is a promise: the thread is ready when it is there. */
  readonly file: string | Promise<string>;
  readonly signal: AbortSignal;
  /** Path of the thread's program; the built one by default. */
  readonly program?: string;
}

/** A bound of its own: a file that needs more than this ends its thread, not the process. */
const maxHeapMb = 768;
/** What an element is parsed and encoded through lives shortly: with less room it is moved about before it is garbage. */
const youngHeapMb = 48;

/**
 * What a file tells, from a thread of its own that is a few batches ahead; each piece on a turn of the event loop of its
 * own. Ends with the thread, whatever becomes of the caller; throws when the thread fails or `signal` aborts.
 */
export async function* readFileNews({
  file,
  signal,
  program,
  ...workerData
}: ReadFileOptions): AsyncGenerator<FileNews> {
  const worker = new Worker(program ?? builtProgram('file-worker'), {
    name: 'file-worker',
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: youngHeapMb },
  });
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
  const tell = (command: FileCommand): void => worker.postMessage(command);
  Promise.resolve(file).then((path) => tell({ kind: 'read', file: path }), end);
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
  try {
    for (;;) {
      if (signal.aborted) throw failure;
      const next = waiting.shift();
      if (next !== undefined) {
        yield next;
        if (next.kind === 'batch') {
          tell({ kind: 'more' });
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
    await worker.terminate();
    rmSync(`${workerData.unpackedFile}.next`, { force: true });
  }
}
