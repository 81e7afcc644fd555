import type { Transferable } from 'node:worker_threads';
import { ManagedWorker, type WorkerLoss, type WorkerProgram } from './managed-worker';
import type { JobAbort, JobAnswer, JobRequest, JobTable } from './serve-jobs';

export interface JobQueueOptions {
  readonly program: WorkerProgram;
  /** The owner of the queue and the work of its jobs, as in "the codec" and "decoding", for messages of errors. */
  readonly owner: string;
  readonly doing: string;
  /** Milliseconds for one job from the time at which it is posted, by default unlimited. */
  readonly deadlineMs?: number;
  /** An aborted job, or its worker, ends after this time. By default it completes, for state that others need. */
  readonly abortMs?: number;
  /** Number of jobs that the worker has at a time: more than one if it works in steps or must never be idle. */
  readonly atOnce?: number;
  readonly maxWaiting?: number;
  /** Builds the error with which a job is rejected. `code` is that of the error in the worker, if it had one. */
  readonly errorOf: (message: string, code?: string, cause?: Error) => Error;
}

/** An urgent job is never rejected for lack of room. A background job begins when no other waits. */
type Priority = 'urgent' | 'normal' | 'background';

export interface JobOptions {
  /** Aborted when no caller waits for the job: it leaves the queue, or the worker aborts it. */
  readonly signal?: AbortSignal | undefined;
  readonly priority?: Priority | undefined;
  /** Members of the input that are transferred. */
  readonly transfer?: readonly Transferable[];
}

interface Job<J extends JobTable<J>> {
  readonly request: JobRequest<J>;
  readonly options: JobOptions;
  readonly resolve: (output: J[keyof J]['output']) => void;
  readonly reject: (reason: unknown) => void;
  readonly onAbort: () => void;
  timer?: NodeJS.Timeout | undefined;
}

/**
 * Jobs for one worker, which starts with the first of them. A job that exceeds the deadline fails, and all posted jobs
 * fail when the worker crashes; the next job gets a new worker without state. An idle worker does not keep the process
 * alive.
 */
export class JobQueue<J extends JobTable<J>> {
  readonly #options: JobQueueOptions;

  readonly #worker: ManagedWorker<JobRequest<J> | JobAbort, JobAnswer<J>>;
  /** Jobs that were posted to the worker, by id. */
  readonly #begun = new Map<number, Job<J>>();
  readonly #waiting: Readonly<Record<Priority, Job<J>[]>> = { urgent: [], normal: [], background: [] };
  #ids = 0;
  #isClosed = false;
  /** The worker must be replaced before the next job. */
  #isStale = false;
  #isWarm = false;

  constructor(options: JobQueueOptions) {
    this.#options = options;

    this.#worker = new ManagedWorker({
      program: options.program,
      onMessage: (answer) => this.#onAnswer(answer),
      onLost: (loss) => this.#fail(loss),
    });
  }

  /** Rejects with the signal's reason once it is aborted. */
  run<K extends keyof J>(kind: K, input: J[K]['input'], options: JobOptions = {}): Promise<J[K]['output']> {
    const { signal, priority = 'normal' } = options;
    const { maxWaiting = 1_000, doing, errorOf } = this.#options;
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.normal.length + this.#waiting.background.length;
      if (this.#isClosed) reject(this.#closedError());
      else if (signal?.aborted === true) reject(signal.reason);
      else if (priority !== 'urgent' && waiting >= maxWaiting) {
        reject(errorOf(`${doing} failed: expected at most ${maxWaiting} waiting jobs, got ${waiting + 1}`));
      } else {
        const request = { id: ++this.#ids, kind, input };
        const job: Job<J> = { request, options, resolve, reject, onAbort: () => this.#abort(job) };
        this.#wait(job, 'push');
        this.#beginNext();
      }
    });
  }

  /** States whether the worker has answered a job, and will begin the next one without delay. */
  get isWarm(): boolean {
    return this.#isWarm && this.#worker.isRunning && !this.#isStale;
  }

  /** Starts the worker before its first job. */
  prepare(): void {
    if (this.#worker.start()) this.#worker.setIdle(true);
  }

  /** The next job gets a new worker; posted jobs end in the old one. */
  renew(): void {
    this.#isStale = true;
    this.#beginNext();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const waiting = Object.values(this.#waiting).flatMap((jobs) => jobs.splice(0));
    for (const job of [...this.#begun.values(), ...waiting]) {
      this.#leave(job);
      job.reject(this.#closedError());
    }
    await this.#worker.close();
  }

  #wait(job: Job<J>, how: 'push' | 'unshift'): void {
    const { signal, priority = 'normal' } = job.options;
    if (signal?.aborted === true) return;
    signal?.addEventListener('abort', job.onAbort, { once: true });
    this.#waiting[priority][how](job);
  }

  #closedError(): Error {
    return this.#options.errorOf(`${this.#options.owner} is closed`);
  }

  #beginNext(): void {
    if (this.#isStale && this.#begun.size === 0) this.#replaceWorker();
    const { atOnce = 1 } = this.#options;
    while (!this.#isStale && !this.#isClosed && this.#begun.size < atOnce) {
      const { urgent, normal, background } = this.#waiting;
      const job = urgent.shift() ?? normal.shift() ?? background.shift();
      if (job === undefined) break;
      this.#begin(job);
    }
    this.#worker.setIdle(this.#begun.size === 0);
  }

  #begin(job: Job<J>): void {
    const { request, options } = job;
    this.#worker.start();
    try {
      this.#worker.post(request, options.transfer);
    } catch (error) {
      this.#leave(job);
      job.reject(error);
      return;
    }
    this.#begun.set(request.id, job);
    this.#limit(job, this.#options.deadlineMs);
  }

  #limit(job: Job<J>, deadlineMs: number | undefined): void {
    if (deadlineMs === undefined) return;
    clearTimeout(job.timer);
    job.timer = setTimeout(() => {
      const { doing, errorOf } = this.#options;
      this.#leave(job);
      job.reject(errorOf(`${doing} failed: it took longer than ${deadlineMs / 1000} s`));
      this.#replaceWorker();
      this.#beginAgain();
    }, deadlineMs);
  }

  /** Queues the jobs of the replaced worker again. Jobs with transferred input fail. */
  #beginAgain(): void {
    for (const job of [...this.#begun.values()].reverse()) {
      const { transfer = [] } = job.options;
      this.#leave(job);
      if (transfer.length === 0) this.#wait(job, 'unshift');
      else job.reject(this.#options.errorOf(`${this.#options.doing} failed: the worker was replaced`));
    }
    this.#beginNext();
  }

  #abort(job: Job<J>): void {
    job.reject(job.options.signal?.reason);
    const { id } = job.request;
    if (this.#begun.has(id)) {
      this.#worker.post({ abort: id });
      this.#limit(job, this.#options.abortMs);
      return;
    }
    // A job that was not posted waits.
    const waiting = this.#waiting[job.options.priority ?? 'normal'];
    waiting.splice(waiting.indexOf(job), 1);
  }

  #leave(job: Job<J>): void {
    clearTimeout(job.timer);
    this.#begun.delete(job.request.id);
    job.options.signal?.removeEventListener('abort', job.onAbort);
  }

  #onAnswer(answer: JobAnswer<J>): void {
    this.#isWarm = true;
    const job = this.#begun.get(answer.id);
    if (job === undefined) return;
    this.#leave(job);
    if (answer.ok) job.resolve(answer.output);
    else job.reject(this.#options.errorOf(answer.message, answer.code));
    this.#beginNext();
  }

  /** Fails the jobs of a worker that ended; the next job gets another worker. */
  #fail({ reason, cause }: Pick<WorkerLoss, 'reason' | 'cause'>): void {
    const { doing, errorOf } = this.#options;
    this.#isWarm = false;
    for (const job of [...this.#begun.values()]) {
      this.#leave(job);
      job.reject(errorOf(`${doing} failed: ${reason}`, undefined, cause));
    }
    this.#beginNext();
  }

  #replaceWorker(): void {
    this.#isStale = false;
    this.#isWarm = false;
    void this.#worker.replace();
  }
}
