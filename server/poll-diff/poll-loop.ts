import type { Clock } from '../observe';

/**
 * One poll after the other, never two at a time, until it is stopped. Each belongs to an era, which ends when polling
 * stops: what a poll of an era that is over brings is to be dropped.
 */
export class PollLoop {
  #isRunning = false;
  #era = 0;
  #timer: { cancel(): void } | undefined;
  #polling: Promise<void> = Promise.resolve();

  constructor(
    private readonly clock: Clock,
    /** Must not reject, and sees to the next poll by itself. */
    private readonly poll: (era: number) => Promise<void>,
  ) {}

  /** False: it runs already. */
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

  /** Once the poll before has ended. */
  pollNow(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const era = this.#era;
    this.#polling = this.#polling.then(() => (this.isCurrent(era) ? this.poll(era) : undefined));
  }

  /** Instead of what was waited for before. True is answered as long as nothing else has begun. */
  pollAfter(delayMs: number): () => boolean {
    this.#timer?.cancel();
    const timer = this.clock.setTimeout(() => this.pollNow(), delayMs);
    this.#timer = timer;
    return () => this.#timer === timer;
  }

  /** The poll that is under way has ended. */
  settled(): Promise<void> {
    return this.#polling;
  }
}
