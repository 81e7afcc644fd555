import type { Clock } from '../observe';

/**
 * Runs one poll at a time until it is stopped. Each poll belongs to an era, which ends when polling stops: results of
 * an earlier era must be dropped.
 */
export class PollLoop {
  readonly #clock: Clock;
  readonly #poll: (era: number) => Promise<void>;

  #isRunning = false;
  #era = 0;
  #timer: { cancel(): void } | undefined;
  #polling: Promise<void> = Promise.resolve();

  constructor(
    clock: Clock,
    /** Must not reject. It schedules the next poll. */
    poll: (era: number) => Promise<void>,
  ) {
    this.#clock = clock;
    this.#poll = poll;
  }

  /** Returns false if it runs already. */
  begin(): boolean {
    if (this.#isRunning) return false;
    this.#isRunning = true;
    return true;
  }

  stop(): void {
    this.#isRunning = false;
    this.#era++;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  isCurrent(era: number): boolean {
    return era === this.#era;
  }

  /** Polls as soon as the previous poll has ended. */
  pollNow(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const era = this.#era;
    this.#polling = this.#polling.then(() => (this.isCurrent(era) ? this.#poll(era) : undefined));
  }

  /** Replaces an earlier delay. The result returns true until another delay or poll replaces this one. */
  pollAfter(delayMs: number): () => boolean {
    this.#timer?.cancel();
    const timer = this.#clock.setTimeout(() => this.pollNow(), delayMs);
    this.#timer = timer;
    return () => this.#timer === timer;
  }

  /** Resolves when the poll under way has ended. */
  settled(): Promise<void> {
    return this.#polling;
  }
}
