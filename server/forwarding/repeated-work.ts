import { messageOf } from '@/lib/format/message-of';
import { log } from '../logger';
import type { Clock } from '../observe';
import { pause } from './pause';

interface RepeatedWorkParts {
  readonly clock: Clock;
  readonly everyMs: number;
  /** Resolves with true if there is more to do at once. */
  readonly work: () => Promise<unknown>;
  /** Begins the line of the log about a failure, which is logged once until its reason changes. */
  readonly failure: string;
}

/** Does a work again and again, with a pause after each time, until it is closed. A failure does not end it. */
export class RepeatedWork {
  readonly #parts: RepeatedWorkParts;
  #isClosed = false;
  /** Aborted when the next pause must not be waited for. */
  #awake = new AbortController();
  #problem = '';
  #running: Promise<void> | undefined;

  constructor(parts: RepeatedWorkParts) {
    this.#parts = parts;
  }

  /** The reason why the work failed last time; empty if it did not. */
  get problem(): string {
    return this.#problem;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** The work is done now, or once more after it, if it is being done. */
  wake(): void {
    this.#awake.abort();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, everyMs, work, failure } = this.#parts;
    while (!this.#isClosed) {
      this.#awake = new AbortController();
      try {
        const isMore = (await work()) === true;
        this.#problem = '';
        if (isMore) continue;
      } catch (error) {
        const problem = messageOf(error).split('\n')[0] ?? '';
        if (problem !== this.#problem) log('warn', 'store', `${failure}: ${problem}`);
        this.#problem = problem;
      }
      await pause(clock, everyMs, this.#awake.signal);
    }
  }
}
