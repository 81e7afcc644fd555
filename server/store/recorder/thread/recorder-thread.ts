import { type JobOptions, JobQueue } from '../../../workers/job-queue';
import { JobThread } from '../../../workers/job-thread';
import type { LogStore } from '../log-store';
import { RecorderError } from '../recorder-error';
import type { WriteBatch } from '../writer/batch-builder';
import type { RecorderWorkerData } from './recorder-worker';

type ThreadOperations = LogStore & {
  /** Rejects if the recording is no longer at its path. */
  assertInPlace(): void;
  close(): void;
};

export type StoreJobs = {
  readonly [K in keyof ThreadOperations]: {
    readonly input: Parameters<ThreadOperations[K]>;
    readonly output: Awaited<ReturnType<ThreadOperations[K]>>;
  };
};

/** Calls the store in its worker thread. If the thread ends, its calls fail, and the next call starts another. */
export class RecorderThread {
  readonly #queue: JobQueue<StoreJobs>;
  /** A file that was open before is not created again. */
  #wasOpen = false;
  /** Called with each error of the store, before the caller's promise is rejected. */
  onError: (error: RecorderError) => void = () => undefined;

  constructor(file: string, workerProgram?: string) {
    const wasOpen = (): boolean => this.#wasOpen;
    const thread = new JobThread({
      name: 'recorder-worker',
      file: workerProgram,
      get data(): RecorderWorkerData {
        return { file, wasOpen: wasOpen() };
      },
    });
    this.#queue = new JobQueue<StoreJobs>(thread, {
      owner: 'the recorder',
      doing: 'recording',
      // The next operation waits in the thread, so that the thread is never idle.
      atOnce: 2,
      maxWaiting: 10_000,
      errorOf: (message, code, cause) => this.#errorOf(message, code, cause),
    });
  }

  call<K extends keyof StoreJobs>(
    operation: K,
    ...args: StoreJobs[K]['input']
  ): Promise<StoreJobs[K]['output']> {
    return this.run(operation, args);
  }

  write(batches: readonly WriteBatch[]): Promise<StoreJobs['write']['output']> {
    const transfer = batches.map(({ bodies }) => bodies.bytes);
    return this.run('write', [batches], { priority: 'urgent', transfer });
  }

  /** Closes the file and ends the thread. */
  async close(): Promise<void> {
    try {
      if (this.#wasOpen) await this.run('close', [], { priority: 'urgent' });
    } finally {
      await this.abandon();
    }
  }

  /** Ends the thread without closing the file; waiting calls fail. */
  abandon(): Promise<void> {
    return this.#queue.close();
  }

  async run<K extends keyof StoreJobs>(
    operation: K,
    args: StoreJobs[K]['input'],
    options?: JobOptions,
  ): Promise<StoreJobs[K]['output']> {
    const result = await this.#queue.run(operation, args, options);
    this.#wasOpen = true;
    return result;
  }

  #errorOf(message: string, code: string | undefined, cause: Error | undefined): RecorderError {
    if (code === undefined) {
      return new RecorderError('THREAD_ENDED', message, cause?.message ?? message, cause);
    }
    const error = new RecorderError(code, message);
    this.onError(error);
    return error;
  }
}
