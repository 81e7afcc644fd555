import type { Observation } from '@/lib/observation/observation';

/** A resource's bytes (of `google.protobuf.Any.value`), already redacted. */
export interface Body {
  /** SHA-256 of `bytes`, hex. */
  readonly hash: string;
  readonly typeUrl: string;
  readonly bytes: Uint8Array;
}

/** An observation, and the bodies that it is the first to name. Repeating a known body is allowed and cheap. */
export interface Sighting {
  readonly observation: Observation;
  readonly bodies: readonly Body[];
}

/** How a vantage tells what it saw. Synchronous, never throws, never blocks; runtime.ts wires it. */
export type Observe = (sighting: Sighting) => void;

/** The clock is injected, so that tests decide what time it is. */
export interface Clock {
  now(): number;
  setTimeout(callback: () => void, delayMs: number): { cancel(): void };
}

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(callback, delayMs) {
    const handle = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};
