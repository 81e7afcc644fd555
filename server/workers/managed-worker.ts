import { type Transferable, Worker } from 'node:worker_threads';
import { type Clock, systemClock } from '../observe';
import { builtProgram } from '../project-root';

export interface WorkerProgram {
  /** The name in server/build.mjs. */
  readonly name: string;
  /** Path of the program, by default the built one. */
  readonly file?: string | undefined;
  readonly data: unknown;
  /** Members of `data` that are transferred. */
  readonly transfer?: readonly Transferable[];
  /** Limits the objects of the worker; buffers are outside its heap. A worker that needs more ends, not the process. */
  readonly maxHeapMb?: number;
  /** Space for new objects, by default that of Node. With little of it, short-lived objects are copied. */
  readonly youngHeapMb?: number | undefined;
}

/** The delay before each restart is twice the previous one, and the first again after a worker that ran for `maxMs`. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

export interface WorkerLoss {
  readonly reason: string;
  /** null if it threw an error that was not caught. */
  readonly exitCode: number | null;
  readonly cause?: Error;
  /** Milliseconds until the restart; 0 without a back-off. */
  readonly restartMs: number;
}

interface ManagedWorkerOptions<Message> {
  readonly program: WorkerProgram;
  readonly onMessage: (message: Message) => void;
  readonly onLost: (loss: WorkerLoss) => void;
  /** Without a back-off, an ended worker starts again with the next call of start(). */
  readonly backoff?: Backoff;
  /** Called when the delay of the back-off is over. A caller that still needs the worker calls start(). */
  readonly onRestartDue?: () => void;
  readonly clock?: Clock;
  /** Milliseconds for which close() waits for work under way. */
  readonly closeMs?: number;
}

export const sourceBackoff: Backoff = { firstMs: 500, maxMs: 30_000 };

/**
 * Runs one worker thread at a time: starts it, restarts it after a failure, limits its memory, posts to it, and ends
 * it. Messages and failures of a worker that was replaced are not reported.
 */
export class ManagedWorker<Command, Message> {
  readonly #options: ManagedWorkerOptions<Message>;

  #worker: Worker | undefined;
  #startedAt = 0;
  #restartMs: number;
  #restart: { cancel(): void } | undefined;
  #isClosed = false;
  readonly #clock: Clock;

  constructor(options: ManagedWorkerOptions<Message>) {
    this.#options = options;

    this.#clock = options.clock ?? systemClock;
    this.#restartMs = options.backoff?.firstMs ?? 0;
  }

  /** Tests end the worker through it. */
  get thread(): Worker | undefined {
    return this.#worker;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /** Does nothing if it runs, is closed, or the delay before its restart is not over. Returns whether it was started. */
  start(): boolean {
    if (this.#worker !== undefined || this.#isClosed || this.#restart !== undefined) return false;
    const { name, file, data, transfer = [], maxHeapMb, youngHeapMb } = this.#options.program;
    const worker = new Worker(file ?? builtProgram(name), {
      name,
      workerData: data,
      transferList: [...transfer],
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: youngHeapMb },
    });
    this.#worker = worker;
    this.#startedAt = this.#clock.now();
    worker.on('message', (message: Message) => {
      if (worker === this.#worker) this.#options.onMessage(message);
    });
    worker.on('error', (cause: NodeJS.ErrnoException) =>
      this.#onLost(worker, { reason: this.#describe(cause), exitCode: null, cause }),
    );
    worker.on('exit', (exitCode) =>
      this.#onLost(worker, { reason: `the worker ended with exit code ${exitCode}`, exitCode }),
    );
    return true;
  }

  /** Returns whether there is a worker to receive the command. Throws if it cannot be cloned. */
  post(command: Command, transfer: readonly Transferable[] = []): boolean {
    this.#worker?.postMessage(command, transfer);
    return this.#worker !== undefined;
  }

  /**
   * Acknowledges a message of the worker, which sends no more messages than were acknowledged. The command is posted
   * after `handled`, in a later turn of the event loop, unless the worker has been replaced.
   */
  acknowledge(command: Command, handled: Promise<void> = Promise.resolve()): void {
    const worker = this.#worker;
    void handled.then(() => {
      setImmediate(() => {
        if (worker === this.#worker) this.post(command);
      });
    });
  }

  /** States whether the process may end while the worker is idle. */
  setIdle(isIdle: boolean): void {
    if (isIdle) this.#worker?.unref();
    else this.#worker?.ref();
  }

  /** Ends the worker. The next start() starts another one without state. */
  replace(): Promise<unknown> {
    const worker = this.#worker;
    this.#worker = undefined;
    return worker?.terminate() ?? Promise.resolve();
  }

  /** Ends the worker when `ending` is settled, or after `closeMs`. It does not start again. */
  async close(ending: Promise<unknown> = Promise.resolve()): Promise<void> {
    this.#isClosed = true;
    this.#restart?.cancel();
    let deadline: { cancel(): void } | undefined;
    const late = new Promise<void>((resolve) => {
      deadline = this.#clock.setTimeout(resolve, this.#options.closeMs ?? 5_000);
    });
    try {
      await Promise.race([ending, late]);
    } finally {
      deadline?.cancel();
      await this.replace();
    }
  }

  #onLost(worker: Worker, loss: Omit<WorkerLoss, 'restartMs'>): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    const { backoff, onLost } = this.#options;
    if (backoff === undefined || this.#isClosed) {
      onLost({ ...loss, restartMs: 0 });
      return;
    }
    if (this.#clock.now() - this.#startedAt > backoff.maxMs) this.#restartMs = backoff.firstMs;
    const restartMs = this.#restartMs;
    this.#restartMs = Math.min(restartMs * 2, backoff.maxMs);
    this.#restart = this.#clock.setTimeout(() => {
      this.#restart = undefined;
      this.#options.onRestartDue?.();
    }, restartMs);
    onLost({ ...loss, restartMs });
  }

  #describe({ code, message }: NodeJS.ErrnoException): string {
    if (code !== 'ERR_WORKER_OUT_OF_MEMORY') return message;
    return `it needs more than ${this.#options.program.maxHeapMb} MB of heap`;
  }
}
