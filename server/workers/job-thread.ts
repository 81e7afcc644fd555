import type { Transferable } from 'node:worker_threads';
import { ManagedWorker, type WorkerLoss, type WorkerProgram } from './managed-worker';
import type { JobAnswer, JobCommand, SetOpening } from './serve-jobs';

/** A queue whose jobs run in a thread. */
export interface ThreadUser {
  /** Absent for a thread that serves one set of jobs. */
  readonly opening?: SetOpening | undefined;
  onAnswer(answer: JobAnswer): void;
  /** The worker ended with these jobs. */
  onLost(loss: WorkerLoss): void;
  /** The worker was replaced; its jobs may begin again. */
  onReplaced(): void;
  /** Called when jobs may begin that could not before. */
  beginNext(): void;
}

/**
 * One thread for the jobs of one or several queues. It starts with the first job, and ends when no queue uses it. A thread
 * that ended is replaced by the next job, without state. An idle thread does not keep the process alive.
 */
export class JobThread {
  readonly #worker: ManagedWorker<JobCommand, JobAnswer>;
  readonly #users = new Set<ThreadUser>();
  /** The queue of each job that was posted, by id. */
  readonly #begun = new Map<number, ThreadUser>();
  #ids = 0;
  /** The worker must be replaced before the next job. */
  #isStale = false;

  constructor(program: WorkerProgram) {
    this.#worker = new ManagedWorker({
      program,
      onMessage: (answer) => this.#onAnswer(answer),
      onLost: (loss) => this.#onLost(loss),
    });
  }

  /** False while jobs end in a worker that will be replaced. */
  get isReady(): boolean {
    return !this.#isStale;
  }

  join(user: ThreadUser): void {
    this.#users.add(user);
  }

  /** Resolves when the worker has ended, if no other queue uses it. */
  async leave(user: ThreadUser): Promise<void> {
    this.#users.delete(user);
    for (const [id, of] of [...this.#begun]) if (of === user) this.abort(id);
    if (this.#users.size === 0) await this.#worker.close();
  }

  /** Starts the worker and opens the set of jobs before the first of them. */
  prepare({ opening }: ThreadUser): void {
    if (this.#worker.start()) this.#worker.setIdle(true);
    if (opening !== undefined) this.#worker.post({ opening });
  }

  /** Returns the id of the job. Throws if the input cannot be cloned. */
  begin(user: ThreadUser, kind: PropertyKey, input: unknown, transfer?: readonly Transferable[]): number {
    if (this.#worker.start()) this.#worker.setIdle(true);
    const id = ++this.#ids;
    this.#worker.post({ id, kind, input, opening: user.opening }, transfer);
    this.#begun.set(id, user);
    this.#worker.setIdle(false);
    return id;
  }

  /** The worker ends the job after its current step. */
  abort(id: number): void {
    this.#worker.post({ abort: id });
  }

  /** The next job gets a new worker; posted jobs end in the old one. */
  renew(): void {
    this.#isStale = true;
    this.#settle();
  }

  /** Ends the worker at once. */
  replace(): void {
    this.#isStale = false;
    this.#begun.clear();
    void this.#worker.replace();
    for (const user of [...this.#users]) user.onReplaced();
  }

  #onAnswer(answer: JobAnswer): void {
    const user = this.#begun.get(answer.id);
    this.#begun.delete(answer.id);
    user?.onAnswer(answer);
    this.#settle();
  }

  #onLost(loss: WorkerLoss): void {
    this.#begun.clear();
    for (const user of [...this.#users]) user.onLost(loss);
  }

  #settle(): void {
    if (this.#begun.size > 0) return;
    if (this.#isStale) this.replace();
    else this.#worker.setIdle(true);
  }
}
