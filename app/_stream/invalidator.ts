import type { QueryKey } from '@tanstack/react-query';

/** Between two readings of one thing. */
const pauseMs = 500;
/** A client's whole history is read for its tears, at each reading anew. */
const pauseOfTearsMs = 10_000;
/** Load is reported all the time. */
const pauseOfLoadMs = 1_000;
/** Of thousands of clients some change all the time. */
const pauseOfFleetMs = 2_000;
/** What takes long to read rests so many times as long: while a large file comes in, who looks on does not hold it up. */
const restPerReading = 4;
const longestRestMs = 10_000;

/** One key, from the beginning of its reading to the end of the rest after it. */
interface Reading {
  /** Changed meanwhile. */
  isDirty: boolean;
  isResting: boolean;
  /** There is no rest after it. */
  isHurried: boolean;
}

/**
 * Reads again what changed, at once and then at most every 500 ms (load: 1 s, tears: 10 s, the fleet: 2 s, what takes long:
 * later),
 * one reading of a key at a time: a change during a slow answer leads to one more reading after it, and never cuts the
 * slow one off.
 */
export class Invalidator {
  private readonly busy = new Map<string, Reading>();

  constructor(
    /** Resolves when the new data is there, or could not be read. */
    private readonly readAgain: (key: QueryKey) => Promise<unknown>,
    private readonly clock: {
      /** Milliseconds since any moment. */
      now(): number;
      setTimeout(callback: () => void, delayMs: number): void;
    },
  ) {}

  invalidate(key: QueryKey): void {
    const id = JSON.stringify(key);
    const running = this.busy.get(id);
    if (running !== undefined) {
      running.isDirty = true;
      return;
    }
    const state: Reading = { isDirty: false, isResting: false, isHurried: false };
    this.busy.set(id, state);
    const { clock } = this;
    const startedAt = clock.now();
    const rest = () => {
      if (state.isHurried) {
        this.end(key, state);
        return;
      }
      state.isResting = true;
      const ofLength = Math.min(longestRestMs, restPerReading * (clock.now() - startedAt));
      clock.setTimeout(() => this.end(key, state), Math.max(pauseOf(key), ofLength));
    };
    // A reading that fails is shown by the query that failed.
    this.readAgain(key).then(rest, rest);
  }

  /** The same without a rest before it: of what changes no more for now. */
  hurry(key: QueryKey): void {
    const running = this.busy.get(JSON.stringify(key));
    if (running === undefined) {
      this.invalidate(key);
      return;
    }
    running.isDirty = true;
    running.isHurried = true;
    if (running.isResting) this.end(key, running);
  }

  private end(key: QueryKey, state: Reading): void {
    const id = JSON.stringify(key);
    // Another reading has begun since: the rest was cut short.
    if (this.busy.get(id) !== state) return;
    this.busy.delete(id);
    if (state.isDirty) this.invalidate(key);
  }
}

function pauseOf(key: QueryKey): number {
  const [of, , what] = key;
  if (of === 'fleet') return pauseOfFleetMs;
  if (isOfLoad(key)) return pauseOfLoadMs;
  return of === 'client' && what === 'tears' ? pauseOfTearsMs : pauseMs;
}

/** Reports come as long as a mesh runs: of what nobody sees they are not read. */
export function isOfLoad([of, , what]: QueryKey): boolean {
  return of === 'load' || (of === 'client' && what === 'load');
}
