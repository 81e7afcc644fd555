import type { Clock } from '../observe';

export interface PollGateOptions {
  readonly clock: Clock;
  /** First polls that are under way at once. */
  readonly places?: number;
  /** So long one that is not answered keeps its place: peers that say nothing must not keep others from being asked. */
  readonly holdMs?: number;
}

/**
 * Thousands of peers that are asked for the first time are asked some at once: all of a first answer is news, and whose
 * answer waits unread misses its deadline through no fault of its own. It spreads the polls that follow, too.
 */
export class PollGate {
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(private readonly options: PollGateOptions) {}

  /** Resolves when it may be asked, in the order of coming; with what is to be called when it was. */
  enter(): Promise<() => void> {
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(this.#take()));
      this.#next();
    });
  }

  #take(): () => void {
    const { clock, holdMs = 2_000 } = this.options;
    let isHeld = true;
    const leave = (): void => {
      if (!isHeld) return;
      isHeld = false;
      timer.cancel();
      this.#taken -= 1;
      this.#next();
    };
    const timer = clock.setTimeout(leave, holdMs);
    return leave;
  }

  #next(): void {
    if (this.#taken >= (this.options.places ?? 32)) return;
    const begin = this.#waiting.shift();
    if (begin === undefined) return;
    this.#taken += 1;
    begin();
  }
}
