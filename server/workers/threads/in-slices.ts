import { performance } from 'node:perf_hooks';

/** After this time the event loop does other work. */
export const sliceMs = 8;

const waiting: (() => void)[] = [];

function resumeNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNext);
}

/**
 * Resolves in a later turn of the event loop. A turn resumes only one of those that wait, so that with several of them, what is
 * received is still handled after each slice.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resumeNext);
  });

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
