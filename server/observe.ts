import type { Observation } from '@/lib/observation/observation';

/** A resource's bytes (of `google.protobuf.Any.value`), already redacted. */
export interface Body {
  /** SHA-256 of `bytes`, hex. */
  readonly hash: string;
  readonly typeUrl: string;
  readonly bytes: Uint8Array;
}

/** An observation, and the bodies that it is the first to name. Repeating a known body is allowed and cheap. */
export interface Emission {
  readonly observation: Observation;
  readonly bodies: readonly Body[];
  /** The numbers of a load report, which are stored apart from it and count once. */
  readonly isLoadApart?: boolean;
}

/** How a vantage reports what it saw. Synchronous, never throws, never blocks; runtime.ts wires it. */
export type Observe = (emission: Emission) => void;

type WithoutBase<T> = T extends Observation ? Omit<T, 'at' | 'vantage' | 'sourceId'> : never;
/** An observation without its time, vantage and source. */
export type Reported = WithoutBase<Observation>;

/** The clock is injected, so that tests decide what time it is. */
export interface Clock {
  now(): number;
  setTimeout(callback: () => void, delayMs: number): { cancel(): void };
}

/** Node fires a timer at once that is set to more: 24 days, less than a time to live may be. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(callback, delayMs) {
    let handle: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      const stepMs = Math.min(leftMs, longestTimerMs);
      handle = setTimeout(() => (leftMs > stepMs ? wait(leftMs - stepMs) : callback()), stepMs);
    };
    wait(delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};
