import { rmSync } from 'node:fs';
import { readWorkerMessages } from '../../workers/worker-messages';
import type { FileCommand, FileMessage, FileWorkerData } from './file-messages';
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
export async function* readFileMessages(options: ReadFileOptions): AsyncGenerator<FileMessage> {
  const { file, signal, program, ...data } = options;
  const upload = typeof file === 'string' ? undefined : new UploadSender(file.sizeBytes);
  const input =
    typeof file === 'string' || signal.aborted ? undefined : upload?.send(file.chunks).then(file.onReceived);
  const canceled = new AbortController();
  const cancel = (): void => canceled.abort(new Error('the import was canceled'));
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel);
  const workerData = { ...data, file: typeof file === 'string' ? file : upload?.end };
  try {
    yield* readWorkerMessages<FileMessage, FileCommand>({
      program: {
        name: 'file-worker',
        file: program,
        data: workerData,
        transfer: upload === undefined ? [] : [upload.end.port],
        maxHeapMb,
        youngHeapMb,
      },
      doing: 'reading the file',
      acknowledgementOf: ({ kind }) => (kind === 'batch' ? { kind: 'more' } : undefined),
      // Of progress the newest counts.
      replaces: (next, last) => next.kind === 'progress' && last.kind === 'progress',
      signal: canceled.signal,
      input,
    });
  } finally {
    signal.removeEventListener('abort', cancel);
    upload?.close();
    rmSync(`${data.unpackedFile}.next`, { force: true });
  }
}
