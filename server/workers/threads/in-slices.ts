import { performance } from 'node:perf_hooks';

/** After this time the event loop does other work. */
export const sliceMs = 8;

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Calls `work` with every item, in slices that do not block the event loop. `itemsAtOnce` is a number of items whose
 * processing takes negligible time.
 */
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
