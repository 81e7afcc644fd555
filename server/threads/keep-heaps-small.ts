import { setFlagsFromString } from 'node:v8';

/**
 * V8 lets garbage grow to the size of what is in use before it collects, in each of our threads: a tenth of that is
 * enough. `npm start` gives the main thread 8 MB for what is new, so that what a page is made of is gone before it counts as
 * old; that would count for all threads: each that begins from now on says for itself what it needs.
 */
export function keepHeapsSmall(): void {
  // What a start restores stays in use: collecting after each tenth of it would take most of the start.
  setFlagsFromString('--heap-growing-percent=100');
  setFlagsFromString('--max-semi-space-size=0');
  // Waking other threads for what is new in 2 MB takes longer than going through it: half of the pauses, with two cores.
  setFlagsFromString('--no-parallel-scavenge');
}

/** From the end of the start on. */
export function collectOften(): void {
  setFlagsFromString('--heap-growing-percent=10');
}

/** Of threads that hold much and make little: what is new has 2 MB there. */
export const smallYoungHeapMb = 6;
