import { messageOf } from '@/lib/format/message-of';
import { log } from '../logger';
import type { Clock } from '../observe';
import { pause } from './pause';

interface RepeatedWorkParts {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly work: () => Promise<void>;
  /** Begins the line of the log about a failure, which is logged once until its reason changes. */
  readonly failure: string;
}

/** Does a work again and again, with a pause after each time, until it is closed. A failure does not end it. */
export class RepeatedWork {
  readonly #parts: RepeatedWorkParts;
  readonly #closing = new AbortController();
  #problem = '';
  #running: Promise<void> | undefined;

  constructor(parts: RepeatedWorkParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, everyMs, work, failure } = this.#parts;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await work();
        this.#problem = '';
      } catch (error) {
        const problem = messageOf(error);
        if (problem !== this.#problem) log('warn', 'store', `${failure}: ${problem}`);
        this.#problem = problem;
      }
      await pause(clock, everyMs, signal);
    }
  }
}
