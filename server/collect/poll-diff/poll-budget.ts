import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../../observe';
import { type PollCost, pollLimits } from '../../source-cost';

/** Limits what the polls of all sources together cost their targets. */
export class PollBudget {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #limits: typeof pollLimits;
  /** The time from which another poll stays within the limits. */
  #freeAt: EpochMs = 0;

  constructor(clock: Pick<Clock, 'now'>, limits = pollLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * Returns the least delay, in milliseconds, until the next poll of a source whose newest one was `poll`: the time that the
   * polls before it take within the limits. Sources that poll in turn, each after its delay, together stay within the limits.
   */
  delayAfter({ requests, bytes }: PollCost): number {
    const { requestsPerSecond, bytesPerSecond } = this.#limits;
    const now = this.#clock.now();
    const seconds = Math.max(requests / requestsPerSecond, bytes / bytesPerSecond);
    // The clock may have been set back.
    const freeAt = this.#freeAt - now > longestMs ? now : Math.max(this.#freeAt, now);
    this.#freeAt = freeAt + seconds * 1_000;
    return freeAt - now;
  }
}

/** The polls of a hundred thousand sources take less. */
const longestMs = 600_000;
