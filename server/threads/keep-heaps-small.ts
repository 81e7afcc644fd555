import { setFlagsFromString } from 'node:v8';

/**
 * V8 lets garbage grow to the size of the live objects before it collects, in each thread: a tenth of that is enough.
 * `npm start` gives the main thread 8 MB for new objects, so that those of a page are collected before they are
 * promoted. That setting would apply to all threads: each worker that starts later sets its own.
 */
export function keepHeapsSmall(): void {
  // What a start restores stays in use: collecting after each tenth of it would take most of the start.
  setFlagsFromString('--heap-growing-percent=100');
  setFlagsFromString('--max-semi-space-size=0');
  // Waking other threads for what is new in 2 MB takes longer than going through it: half of the pauses, with two cores.
  setFlagsFromString('--no-parallel-scavenge');
}

/** Call at the end of the start. */
export function collectOften(): void {
  setFlagsFromString('--heap-growing-percent=10');
}

/** For threads that hold many objects and create few: V8 gives new objects a third of it, 2 MB. */
export const smallYoungHeapMb = 6;
