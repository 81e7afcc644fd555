import { setFlagsFromString } from 'node:v8';

/**
 * V8 lets garbage grow to the size of the live objects before it collects, in each thread; a tenth of that suffices.
 * `npm start` sets 8 MB for new objects of the main thread, so that those of a page are collected before they are
 * promoted. That setting would apply to all threads, so each worker that starts later sets its own.
 */
export function keepHeapsSmall(): void {
  // The restored state remains in use, and collecting after each tenth of it would take most of the start.
  setFlagsFromString('--heap-growing-percent=100');
  setFlagsFromString('--max-semi-space-size=0');
  // Waking other threads for the new objects in 2 MB takes longer than collecting them: half of the pauses, with two
  // cores.
  setFlagsFromString('--no-parallel-scavenge');
}

/** Must be called at the end of the start. */
export function collectOften(): void {
  setFlagsFromString('--heap-growing-percent=10');
}

/** The heap of new objects for threads that hold many objects and create few. V8 uses a third of it, 2 MB. */
export const smallYoungHeapMb = 6;
