import type { Clock } from '../../observe';
import { addPoll, noCost, type PollCost, type SourceCost, sumOf } from '../../source-cost';

/** Measures what the polls of one source cost its target. */
export class PollMeter {
  readonly #clock: Clock;
  #before: SourceCost | undefined;
  #poll: PollCost | undefined;
  /** Number of requests under way, and since when there has been one. */
  #underWay = 0;
  #since = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The next requests are of a new poll. */
  beginPoll(): void {
    const since = this.#clock.now();
    if (this.#before === undefined)
      this.#before = { ...noCost, since, polls: 0, newest: noCost, largest: noCost, slowed: [] };
    else if (this.poll.requests > 0) addPoll(this.#before, this.poll);
    this.#poll = noCost;
  }

  /** Measures one request. `bytesOf`: the size of its answer. The time of requests that overlap is counted once. */
  async measure<Answer>(
    request: () => Promise<Answer>,
    bytesOf: (answer: Answer) => number,
  ): Promise<Answer> {
    if (this.#underWay === 0) this.#since = this.#clock.now();
    this.#underWay += 1;
    let bytes = 0;
    try {
      const answer = await request();
      bytes = bytesOf(answer);
      return answer;
    } finally {
      this.#underWay -= 1;
      // The clock may have been set back.
      const tookMs = this.#underWay === 0 ? Math.max(0, this.#clock.now() - this.#since) : 0;
      this.#poll = sumOf(this.#poll ?? noCost, { requests: 1, bytes, tookMs });
    }
  }

  /** The cost of the poll under way, or of the newest one. */
  get poll(): PollCost {
    return this.#poll ?? noCost;
  }

  /** The cost of all polls, with the one under way unless nothing was due in it; undefined before the first poll. */
  get cost(): SourceCost | undefined {
    if (this.#before === undefined) return undefined;
    const cost = { ...this.#before };
    if (this.poll.requests > 0) addPoll(cost, this.poll);
    return cost;
  }
}
