import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * The deadline on a machine with time to spare. A call waits for its target to resolve too, which takes seconds at
 * the start.
 */
const usualMs = 30_000;
/** A call takes several turns of the loop of the client, of the backend and of what is between them. */
const turns = 30;
const resolutionMs = 10;
const windowMs = 15_000;

/** The deadline of a call in a process whose event loop was late by `delayMs`: no call may fail because the machine is busy. */
export function callDeadlineMs(delayMs: number): number {
  return usualMs + turns * delayMs;
}

/** The longest delay of timers of this process, beyond the resolution of the timer, in the last 15 to 30 seconds. */
class LoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  #begunAt = performance.now();
  #previousMs = 0;

  constructor() {
    this.#histogram.enable();
  }

  get longestMs(): number {
    const { count, max } = this.#histogram;
    const currentMs = count === 0 ? 0 : Math.max(0, max / 1e6 - resolutionMs);
    const longestMs = Math.max(this.#previousMs, currentMs);
    if (performance.now() - this.#begunAt >= windowMs) {
      this.#previousMs = currentMs;
      this.#begunAt = performance.now();
      this.#histogram.reset();
    }
    return longestMs;
  }
}

let delay: LoopDelay | undefined;

/** Returns the time by which a call that begins now has to end. */
export function nextCallDeadline(): Date {
  delay ??= new LoopDelay();
  return new Date(Date.now() + callDeadlineMs(delay.longestMs));
}
