import type { Clock } from '../../observe';

interface PollGateOptions {
  readonly clock: Clock;
  /** The number of first polls at a time. */
  readonly places?: number;
  /** The time for which a poll without an answer keeps its place: silent peers must not delay the polls of others. */
  readonly holdMs?: number;
}

/**
 * Limits the number of first polls at a time, and spreads the polls that follow. With thousands of first answers at once,
 * all of which are new, answers would wait so long that later polls miss their deadlines.
 */
export class PollGate {
  readonly #options: PollGateOptions;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: PollGateOptions) {
    this.#options = options;
  }

  /** Resolves, in the order of the calls, when the peer may be polled. The caller calls the result after the poll. */
  enter(): Promise<() => void> {
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(this.#take()));
      this.#next();
    });
  }

  #take(): () => void {
    const { clock, holdMs = 2_000 } = this.#options;
    let isHeld = true;
    const leave = (): void => {
      if (!isHeld) return;
      isHeld = false;
      timer.cancel();
      this.#running -= 1;
      this.#next();
    };
    const timer = clock.setTimeout(leave, holdMs);
    return leave;
  }

  #next(): void {
    if (this.#running >= (this.#options.places ?? 32)) return;
    const begin = this.#waiting.shift();
    if (begin === undefined) return;
    this.#running += 1;
    begin();
  }
}
