import { rmSync } from 'node:fs';
import { readWorkerMessages } from '../../workers/worker-messages';
import type { FileCommand, FileMessage, FileProgramData, FileWorkerData } from './file-messages';
import { UploadSender } from './upload-channel';

/** An upload that is read while it arrives. */
export interface Upload {
  /** The buffers of the chunks are transferred. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The announced size, null if unknown. */
  readonly sizeBytes: number | null;
  /** Called when the upload is complete. */
  readonly onReceived: (sizeBytes: number) => void;
}

export interface ReadFileOptions extends Omit<FileWorkerData, 'file'> {
  /** A path, or an upload. */
  readonly file: string | Upload;
  readonly signal: AbortSignal;
  /** Path of the thread's program; the built one by default. */
  readonly program?: string;
}

/** A file that needs more memory ends its thread, not the process. */
const maxHeapMb = 768;
/** Parsing an element allocates short-lived objects, which a smaller young generation would promote. */
const youngHeapMb = 48;

/**
 * The messages of a thread that reads a file, each on its own turn of the event loop. Ends the thread when the caller
 * stops; throws when the thread or the upload fails or `signal` aborts.
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
  const reads: FileProgramData['reads'] = 'document';
  const workerData = { reads, ...data, file: typeof file === 'string' ? file : upload?.end };
  try {
    yield* readWorkerMessages<FileMessage, FileCommand>({
      program: {
        name: 'file',
        file: program,
        data: workerData,
        transfer: upload === undefined ? [] : [upload.end.port],
        maxHeapMb,
        youngHeapMb,
      },
      doing: 'reading the file',
      acknowledgementOf: ({ kind }) => (kind === 'batch' ? { kind: 'more' } : undefined),
      // Only the newest progress is delivered.
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
