import { Worker } from 'node:worker_threads';
import { builtProgram } from '../project-root';
import type { JobAnswer, JobRequest, JobTable } from './serve-jobs';

interface Job<J extends JobTable<J>> {
  readonly request: JobRequest<J>;
  readonly signal: AbortSignal | undefined;
  resolve(output: J[keyof J]['output']): void;
  reject(error: Error): void;
}

export interface WorkerQueueOptions {
  /** Name of the worker's program, as in server/build.mjs. */
  readonly name: string;
  /** Who it works for and what it does, as in "the codec" and "decoding": its failures are reported with these. */
  readonly owner: string;
  readonly doing: string;
  readonly data: unknown;
  readonly deadlineMs: number;
  /** Path of the worker's program; the built one by default. */
  readonly program?: string;
  /** A bound of its own: what unpacks without end ends this worker, not the process. */
  readonly maxHeapMb: number;
  /** Room for what is new: with little of it, much that lives a moment too long is moved about. Node's own by default. */
  readonly youngHeapMb?: number;
  /** The class of error that a job is rejected with. `code`: of the error in the worker, if it had one. */
  readonly errorOf: (message: string, code?: string) => Error;
}

/**
 * One worker thread, started at the first job or before, one job in it at a time: when it crashes or takes too long, that job
 * alone fails, and the next one gets a new worker, which remembers nothing. An idle worker does not keep the process
 * alive.
 */
export class WorkerQueue<J extends JobTable<J>> {
  private readonly waiting: Job<J>[] = [];
  private worker: Worker | undefined;
  /** The last one that answered. */
  private answered: Worker | undefined;
  private current: { job: Job<J>; timer: NodeJS.Timeout } | undefined;
  private isClosed = false;
  /** The worker is to do no more jobs. */
  private isStale = false;

  constructor(private readonly options: WorkerQueueOptions) {}

  /** A job whose signal is aborted before it has started is not started, and rejects with the signal's reason. */
  run<K extends keyof J>(kind: K, input: J[K]['input'], signal?: AbortSignal): Promise<J[K]['output']> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) {
        reject(this.closedError());
        return;
      }
      this.waiting.push({ request: { kind, input }, signal, resolve, reject });
      this.startNext();
    });
  }

  /** A worker has answered, and the next job finds it ready. */
  get isWarm(): boolean {
    return this.answered !== undefined && this.answered === this.worker && !this.isStale;
  }

  /** Its worker gets ready meanwhile: a job will come soon. */
  prepare(): void {
    if (this.worker === undefined && !this.isClosed) this.startWorker().unref();
  }

  /** The next job gets a new worker; one that is under way ends in the old one. */
  renew(): void {
    if (this.current === undefined) this.retire();
    else this.isStale = true;
  }

  private retire(): void {
    const { worker } = this;
    this.isStale = false;
    this.abandonWorker();
    worker?.terminate().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const { worker } = this;
    this.abandonWorker();
    this.settle((job) => job.reject(this.closedError()));
    for (const job of this.waiting.splice(0)) job.reject(this.closedError());
    await worker?.terminate();
  }

  private closedError(): Error {
    return this.options.errorOf(`${this.options.owner} is closed`);
  }

  private startNext(): void {
    if (this.current !== undefined || this.isClosed) return;
    if (this.isStale) this.retire();
    const job = this.takeWanted();
    if (job === undefined) {
      this.worker?.unref();
      return;
    }
    const worker = this.worker ?? this.startWorker();
    worker.ref();
    const { deadlineMs } = this.options;
    const timer = setTimeout(() => {
      this.fail(`it took longer than ${deadlineMs / 1000} s`);
    }, deadlineMs);
    this.current = { job, timer };
    worker.postMessage(job.request);
  }

  /** The next job that somebody still waits for. */
  private takeWanted(): Job<J> | undefined {
    for (;;) {
      const job = this.waiting.shift();
      if (job?.signal?.aborted !== true) return job;
      job.reject(job.signal.reason);
    }
  }

  private startWorker(): Worker {
    const { name, program, data, maxHeapMb, youngHeapMb, errorOf } = this.options;
    const worker = new Worker(program ?? builtProgram(name), {
      name,
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: youngHeapMb },
    });
    this.worker = worker;
    worker.on('message', (answer: JobAnswer<J>) => {
      if (worker !== this.worker) return;
      this.answered = worker;
      this.settle((job) => {
        if (answer.ok) job.resolve(answer.output);
        else job.reject(errorOf(answer.message, answer.code));
      });
      this.startNext();
    });
    worker.on('error', (error) => {
      if (worker === this.worker) this.fail(`the worker failed: ${error.message}`);
    });
    worker.on('exit', (code) => {
      if (worker === this.worker) this.fail(`the worker ended with ${code}`);
    });
    return worker;
  }

  /** The job in the worker fails, the worker goes, the next job gets another. */
  private fail(reason: string): void {
    const { worker } = this;
    this.abandonWorker();
    worker?.terminate().catch(() => undefined);
    this.settle((job) => job.reject(this.options.errorOf(`${this.options.doing} failed: ${reason}`)));
    this.startNext();
  }

  private abandonWorker(): void {
    this.worker = undefined;
  }

  private settle(how: (job: Job<J>) => void): void {
    const { current } = this;
    if (current === undefined) return;
    clearTimeout(current.timer);
    this.current = undefined;
    how(current.job);
  }
}
