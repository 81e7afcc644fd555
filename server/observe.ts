import type { Observation } from '@/lib/observation/observation';

/** The bytes of a resource (`google.protobuf.Any.value`), already redacted. */
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
  /** The numbers of the load report are stored separately and count once. */
  readonly isLoadApart?: boolean;
  /** The seq that a shared store has assigned to it. Absent: this process assigns the next one. */
  readonly seq?: number;
  /** More of the report follows at once, so that the client is published less often until `LiveState.complete()`. */
  readonly hasMore?: boolean;
}

/** Emits an observation. It is synchronous and never throws or blocks; runtime.ts wires it. */
export type Observe = (emission: Emission) => void;

type WithoutBase<T> = T extends Observation ? Omit<T, 'at' | 'vantage' | 'sourceId'> : never;
/** An observation without its time, vantage and source. */
export type Reported = WithoutBase<Observation>;

/** The clock is injected, so that tests decide what time it is. */
export interface Clock {
  now(): number;
  setTimeout(callback: () => void, delayMs: number): { cancel(): void };
}

/** Node fires a timer with a longer delay immediately. The limit is 24 days; a TTL may be longer. */
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
