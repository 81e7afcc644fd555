import type { EpochMs } from '@/lib/xds/units';

/** The time over which calls per second are counted. */
const rateMs = 5_000;

interface Counted {
  readonly at: EpochMs;
  readonly started: ReadonlyMap<string, number>;
}

/** Calls per second of connections, from how many each has started at every poll. */
export class CallRates {
  /** The oldest first. */
  #counted: Counted[] = [];

  /** null: no earlier poll has counted the connection. `at`: of this poll. */
  rateOf(id: string, started: number, at: EpochMs): number | null {
    const [counted] = this.#counted;
    const before = counted?.started.get(id);
    if (counted === undefined || counted.at >= at || before === undefined || started < before) return null;
    return ((started - before) * 1000) / (at - counted.at);
  }

  /** Call once for each poll, after its rates were read. */
  count(started: ReadonlyMap<string, number>, at: EpochMs): void {
    // Slow polls are further apart than that: the newest one is kept in any case.
    const earlier = this.#counted.filter(
      (each, index) => at - each.at < rateMs || index === this.#counted.length - 1,
    );
    this.#counted = [...earlier.filter((each) => each.at < at), { at, started }];
  }
}
