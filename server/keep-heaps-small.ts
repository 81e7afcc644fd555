import { setFlagsFromString } from 'node:v8';

/**
 * V8 lets garbage grow to the size of what is in use before it collects, in each of our threads: a tenth of that is
 * enough. `npm start` gives the main thread 8 MB for what is new, so that what a page is made of is gone before it counts as
 * old; that would count for all threads: each that begins from now on says for itself what it needs.
 */
export function keepHeapsSmall(): void {
  setFlagsFromString('--heap-growing-percent=10');
  setFlagsFromString('--max-semi-space-size=0');
  // Waking other threads for what is new in 2 MB takes longer than going through it: half of the pauses, with two cores.
  setFlagsFromString('--no-parallel-scavenge');
}

/** Of threads that hold much and make little: what is new has 2 MB there. */
export const smallYoungHeapMb = 6;
