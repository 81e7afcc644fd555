import { constants, PerformanceObserver } from 'node:perf_hooks';
import { expect, it, onTestFinished } from 'vitest';
import { collectInSteps } from '@/server/threads/collect-garbage';

/** What nobody holds but the answer, weakly. */
function garbage(): WeakRef<object> {
  return new WeakRef({ rows: Array.from({ length: 20_000 }, (_, row) => ({ row })) });
}

/** A WeakRef holds what it was made of until the turn ends. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('collectInSteps collects garbage in steps, without a warning', async () => {
  const warnings: Error[] = [];
  const hear = (warning: Error) => warnings.push(warning);
  process.on('warning', hear);
  onTestFinished(() => void process.off('warning', hear));
  const kinds = new Set<unknown>();
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) kinds.add((detail as { kind: number }).kind);
  });
  observer.observe({ entryTypes: ['gc'] });
  onTestFinished(() => observer.disconnect());

  const first = garbage();
  await nextTurn();
  await collectInSteps();
  expect(first.deref()).toBeUndefined();
  await nextTurn();
  expect(kinds).toContain(constants.NODE_PERFORMANCE_GC_INCREMENTAL);
  expect(warnings).toEqual([]);
});

it('collectInSteps called during a collection collects once more', async () => {
  const one = collectInSteps();
  await nextTurn();
  const late = garbage();
  await nextTurn();
  const other = collectInSteps();
  expect(other).toBe(one);
  await other;
  expect(late.deref()).toBeUndefined();
});
