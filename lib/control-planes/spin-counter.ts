import type { EpochMs } from '../xds/units';

const fewest = 10;
/** The longest time between two responses of a spin, so that ten of them take ten seconds at most. */
const gapMs = 1_000;

/** Counts the periods in which a stream had at least 10 repeated responses, each within a second of the one before. */
export class SpinCounter {
  #size = 0;
  #newestAt: EpochMs = 0;
  #count = 0;
  #most = 0;
  #lastAt: EpochMs | undefined;

  get count(): number {
    return this.#count;
  }

  /** The responses of the largest period. */
  get most(): number {
    return this.#most;
  }

  /** The time of the newest response of any period. */
  get lastAt(): EpochMs | undefined {
    return this.#lastAt;
  }

  /** Adds repeated responses. The times are in order. */
  add(at: EpochMs, responses: number): void {
    if (responses === 0) return;
    const before = at - this.#newestAt > gapMs ? 0 : this.#size;
    this.#size = before + responses;
    this.#newestAt = at;
    if (this.#size < fewest) return;
    if (before < fewest) this.#count += 1;
    this.#most = Math.max(this.#most, this.#size);
    this.#lastAt = at;
  }
}
