import { performance } from 'node:perf_hooks';

/** The event loop serves others in between. */
export const sliceMs = 8;

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Does the same with every item, in slices that do not hold up the event loop. */
export async function inSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let startedAt = performance.now();
  let count = 0;
  for (const item of items) {
    work(item);
    count += 1;
    // The clock is not free.
    if (count % 64 !== 0 || performance.now() - startedAt < sliceMs) continue;
    await nextTurn();
    startedAt = performance.now();
  }
}
