import type { Transferable } from 'node:worker_threads';
import type { JobThread, ThreadUser } from './job-thread';
import type { WorkerLoss } from './managed-worker';
import type { JobAnswer, JobTable, SetOpening } from './serve-jobs';

export interface JobQueueOptions {
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
  readonly kind: keyof J;
  readonly input: unknown;
  readonly options: JobOptions;
  readonly resolve: (output: J[keyof J]['output']) => void;
  readonly reject: (reason: unknown) => void;
  readonly onAbort: () => void;
  /** Set while it is posted. */
  id?: number | undefined;
  timer?: NodeJS.Timeout | undefined;
}

/**
 * Jobs of one kind of work, in a thread that other queues may share. A job that exceeds the deadline fails, and all posted
 * jobs fail when the thread crashes; the next job gets a new one without state.
 */
export class JobQueue<J extends JobTable<J>> implements ThreadUser {
  readonly #thread: JobThread;
  readonly #options: JobQueueOptions;
  readonly opening: SetOpening | undefined;

  /** Jobs that were posted to the thread, by id. */
  readonly #begun = new Map<number, Job<J>>();
  readonly #waiting: Readonly<Record<Priority, Job<J>[]>> = { urgent: [], normal: [], background: [] };
  #isClosed = false;

  constructor(thread: JobThread, options: JobQueueOptions, opening?: SetOpening) {
    this.#thread = thread;
    this.#options = options;
    this.opening = opening;
    thread.join(this);
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
        const job: Job<J> = { kind, input, options, resolve, reject, onAbort: () => this.#abort(job) };
        this.#wait(job, 'push');
        this.beginNext();
      }
    });
  }

  /** Starts the thread before its first job. */
  prepare(): void {
    this.#thread.prepare(this);
  }

  /** The next job gets a new thread; posted jobs end in the old one. */
  renew(): void {
    this.#thread.renew();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const waiting = Object.values(this.#waiting).flatMap((jobs) => jobs.splice(0));
    for (const job of waiting) this.#fail(job, this.#closedError());
    for (const [id, job] of this.#begun) this.#fail(job, this.#closedError(), id);
    await this.#thread.leave(this);
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

  beginNext(): void {
    const { atOnce = 1 } = this.#options;
    while (this.#thread.isReady && !this.#isClosed && this.#begun.size < atOnce) {
      const { urgent, normal, background } = this.#waiting;
      const job = urgent.shift() ?? normal.shift() ?? background.shift();
      if (job === undefined) break;
      this.#begin(job);
    }
  }

  #begin(job: Job<J>): void {
    const { kind, input, options } = job;
    try {
      const id = this.#thread.begin(this, kind, input, options.transfer);
      job.id = id;
      this.#begun.set(id, job);
      this.#limit(job, id, this.#options.deadlineMs);
    } catch (error) {
      this.#fail(job, error);
    }
  }

  #limit(job: Job<J>, id: number, deadlineMs: number | undefined): void {
    if (deadlineMs === undefined) return;
    clearTimeout(job.timer);
    job.timer = setTimeout(() => {
      const { doing, errorOf } = this.#options;
      this.#fail(job, errorOf(`${doing} failed: it took longer than ${deadlineMs / 1000} s`), id);
      this.#thread.replace();
    }, deadlineMs);
  }

  /** Queues the jobs of the replaced thread again. Jobs with transferred input fail. */
  onReplaced(): void {
    for (const [id, job] of [...this.#begun].reverse()) {
      const { transfer = [] } = job.options;
      this.#leave(job, id);
      if (transfer.length === 0) this.#wait(job, 'unshift');
      else job.reject(this.#options.errorOf(`${this.#options.doing} failed: the worker was replaced`));
    }
    this.beginNext();
  }

  #abort(job: Job<J>): void {
    job.reject(job.options.signal?.reason);
    const { id } = job;
    if (id !== undefined) {
      this.#thread.abort(id);
      this.#limit(job, id, this.#options.abortMs);
      return;
    }
    // A job that was not posted waits.
    const waiting = this.#waiting[job.options.priority ?? 'normal'];
    waiting.splice(waiting.indexOf(job), 1);
  }

  #leave(job: Job<J>, id: number | undefined): void {
    clearTimeout(job.timer);
    job.id = undefined;
    if (id !== undefined) this.#begun.delete(id);
    job.options.signal?.removeEventListener('abort', job.onAbort);
  }

  #fail(job: Job<J>, error: unknown, id?: number): void {
    this.#leave(job, id);
    job.reject(error);
  }

  onAnswer(answer: JobAnswer): void {
    const job = this.#begun.get(answer.id);
    if (job === undefined) return;
    this.#leave(job, answer.id);
    // The thread answers with the output of the kind that was posted.
    if (answer.ok) job.resolve(answer.output as J[keyof J]['output']);
    else job.reject(this.#options.errorOf(answer.message, answer.code));
    this.beginNext();
  }

  /** Fails the jobs of a thread that ended; the next job gets another one. */
  onLost({ reason, cause }: Pick<WorkerLoss, 'reason' | 'cause'>): void {
    const { doing, errorOf } = this.#options;
    for (const [id, job] of [...this.#begun])
      this.#fail(job, errorOf(`${doing} failed: ${reason}`, undefined, cause), id);
    this.beginNext();
  }
}
