import { performance } from 'node:perf_hooks';

/** Milliseconds of work after which the event loop serves others. */
export const sliceMs = 8;

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Does the same with every item, in slices that do not hold up the event loop. `itemsAtOnce`: how many take no time. */
export async function inSlices<T>(
  items: Iterable<T>,
  work: (item: T) => void,
  itemsAtOnce = 64,
): Promise<void> {
  let startedAt = performance.now();
  let count = 0;
  for (const item of items) {
    work(item);
    count += 1;
    // Reading the clock for each item would take longer than the work.
    if (count % itemsAtOnce !== 0 || performance.now() - startedAt < sliceMs) continue;
    await nextTurn();
    startedAt = performance.now();
  }
}
