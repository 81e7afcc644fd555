import { Worker } from 'node:worker_threads';
import { builtProgram } from '@/server/project-root';
import type { StoreOperations } from './database/store';
import { RecorderError } from './recorder-error';
import type { RecorderWorkerData, WorkerAnswer } from './recorder-worker';
import type { WriteBatch } from './writer/batch-builder';

type Operation = keyof StoreOperations;
type Result<K extends Operation> = ReturnType<StoreOperations[K]>;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: RecorderError) => void;
}

/** Room for the texts of one batch: with less they are moved about before they are garbage. */
const youngHeapMb = 24;

/** Calls the store in its worker thread. A thread that dies fails what waits for it; the next call starts another. */
export class RecorderThread {
  readonly #file: string;
  #worker: Worker | undefined;
  #nextId = 1;
  readonly #waiting = new Map<number, Waiting>();
  /** Once the file was open it is never made anew. */
  #wasOpen = false;
  /** Is given every error that the store answers with, before whoever asked. */
  onError: (error: RecorderError) => void = () => undefined;

  constructor(file: string) {
    this.#file = file;
  }

  call<K extends Operation>(operation: K, ...args: Parameters<StoreOperations[K]>): Promise<Result<K>> {
    return this.#post([], operation, args);
  }

  write(batches: readonly WriteBatch[]): Promise<Result<'write'>> {
    return this.#post(
      batches.map(({ bodyBytes }) => bodyBytes.buffer),
      'write',
      [batches],
    );
  }

  #post<K extends Operation>(
    handedOver: readonly ArrayBuffer[],
    operation: K,
    args: Parameters<StoreOperations[K]>,
  ): Promise<Result<K>> {
    const worker = this.#running();
    const id = this.#nextId++;
    return new Promise<Result<K>>((resolve, reject) => {
      // The worker answers an operation with what that operation returns: StoreOperations is both ends' contract.
      this.#waiting.set(id, { resolve: (value) => resolve(value as Result<K>), reject });
      worker.postMessage({ id, operation, args }, handedOver);
    });
  }

  /** Closes the file and ends the thread. */
  async close(): Promise<void> {
    if (!this.#worker) return;
    try {
      await this.call('close');
    } finally {
      await this.abandon();
    }
  }

  /** Ends the thread without closing the file; what waits for it fails. */
  async abandon(): Promise<void> {
    await this.#worker?.terminate();
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(builtProgram('recorder-worker'), {
      workerData: { file: this.#file, wasOpen: this.#wasOpen } satisfies RecorderWorkerData,
      name: 'recorder',
      resourceLimits: { maxYoungGenerationSizeMb: youngHeapMb },
    });
    let cause: unknown;
    worker.on('message', (answer: WorkerAnswer) => this.#settle(answer));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => this.#ended(worker, cause));
    this.#worker = worker;
    return worker;
  }

  #settle(answer: WorkerAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (!waiting) return;
    if ('error' in answer) {
      const error = new RecorderError(answer.error.code, answer.error.message);
      this.onError(error);
      waiting.reject(error);
      return;
    }
    this.#wasOpen = true;
    waiting.resolve(answer.value);
  }

  #ended(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const reason = cause instanceof Error ? cause.message : 'it ended by itself';
    const error = new RecorderError('THREAD_ENDED', `the recorder's thread ended: ${reason}`, reason, cause);
    const abandoned = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of abandoned) reject(error);
  }
}
