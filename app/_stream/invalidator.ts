import type { QueryKey } from '@tanstack/react-query';

/** Minimum time between two reloads of a key. */
const pauseMs = 500;
/** The server reads a client's whole history for its config tears. */
const pauseOfTearsMs = 10_000;
const pauseOfLoadMs = 1_000;
const pauseOfFleetMs = 2_000;
/** A slow reload is followed by a pause of this many times its duration, to limit the load on the server. */
const restPerReading = 4;
const longestRestMs = 10_000;

/** A reload of one key, until the end of the pause after it. */
interface Reading {
  isDirty: boolean;
  isResting: boolean;
  isHurried: boolean;
}

/**
 * Reloads changed data at once, and then at most every 500 ms (load: 1 s, fleet: 2 s, tears: 10 s, slow data:
 * later). One reload per key runs at a time; a change during it leads to another one.
 */
export class Invalidator {
  readonly #readAgain: (key: QueryKey) => Promise<unknown>;
  readonly #clock: {
    /** Milliseconds since any fixed time. */
    now(): number;
    setTimeout(callback: () => void, delayMs: number): void;
  };
  readonly #busy = new Map<string, Reading>();

  constructor(
    /** Resolves when the data is loaded, or could not be. */
    readAgain: (key: QueryKey) => Promise<unknown>,
    clock: {
      /** Milliseconds since any fixed time. */
      now(): number;
      setTimeout(callback: () => void, delayMs: number): void;
    },
  ) {
    this.#readAgain = readAgain;
    this.#clock = clock;
  }

  invalidate(key: QueryKey): void {
    const id = JSON.stringify(key);
    const running = this.#busy.get(id);
    if (running !== undefined) {
      running.isDirty = true;
      return;
    }
    const state: Reading = { isDirty: false, isResting: false, isHurried: false };
    this.#busy.set(id, state);
    const clock = this.#clock;
    const startedAt = clock.now();
    const rest = () => {
      if (state.isHurried) {
        this.#end(key, state);
        return;
      }
      state.isResting = true;
      const ofLength = Math.min(longestRestMs, restPerReading * (clock.now() - startedAt));
      clock.setTimeout(() => this.#end(key, state), Math.max(pauseOf(key), ofLength));
    };
    // The query shows its own error.
    this.#readAgain(key).then(rest, rest);
  }

  /** The same without a pause before it, for data that will not change again soon. */
  hurry(key: QueryKey): void {
    const running = this.#busy.get(JSON.stringify(key));
    if (running === undefined) {
      this.invalidate(key);
      return;
    }
    running.isDirty = true;
    running.isHurried = true;
    if (running.isResting) this.#end(key, running);
  }

  #end(key: QueryKey, state: Reading): void {
    const id = JSON.stringify(key);
    // The pause was cut short by another reload.
    if (this.#busy.get(id) !== state) return;
    this.#busy.delete(id);
    if (state.isDirty) this.invalidate(key);
  }
}

function pauseOf(key: QueryKey): number {
  const [of, , what] = key;
  if (of === 'fleet') return pauseOfFleetMs;
  if (isOfLoad(key)) return pauseOfLoadMs;
  return of === 'client' && what === 'tears' ? pauseOfTearsMs : pauseMs;
}

/** Load is reported all the time, so it is not reloaded while the page is hidden. */
export function isOfLoad([of, , what]: QueryKey): boolean {
  return of === 'load' || (of === 'client' && what === 'load');
}
