import { expect, test } from 'vitest';
import { LoadLogBudget } from '@/server/load/load-log-budget';
import { clusterLoad, loadReported } from '../../support/load-samples';

const report = (at: number, streamId: string) => loadReported(at, [clusterLoad([])], { streamId });

test('LoadLogBudget lets few reports through as they are', () => {
  const budget = new LoadLogBudget();
  for (let second = 0; second < 1_000; second++) {
    for (let stream = 0; stream < 20; stream++) {
      const told = report(second * 1_000, `s${stream}`);
      expect(budget.admit(told)).toBe(told);
    }
  }
});

test('LoadLogBudget leaves out what is too much, and tells how many with the next one', () => {
  const budget = new LoadLogBudget();
  let admitted = 0;
  const heard = new Set<string>();
  let toldLeftOut = 0;
  const [streams, seconds] = [100, 300];
  for (let second = 0; second < seconds; second++) {
    for (let stream = 0; stream < streams; stream++) {
      const told = budget.admit(report(second * 1_000, `s${stream}`));
      if (told?.kind !== 'load-reported') continue;
      admitted += 1;
      if (second > 60) heard.add(told.streamId);
      toldLeftOut += told.leftOut ?? 0;
    }
  }
  expect(admitted).toBeLessThanOrEqual(400 + 20 * (seconds - 1));
  expect(admitted).toBeGreaterThan(400);
  expect(toldLeftOut).toBeGreaterThan(0);
  // In their turns, not always the same.
  expect(heard.size).toBe(streams);
  // Every stream's next one tells of all that were left out.
  for (let stream = 0; stream < streams; stream++) {
    const told = budget.admit(report(10_000_000 + stream * 1_000, `s${stream}`));
    if (told?.kind === 'load-reported') toldLeftOut += told.leftOut ?? 0;
  }
  expect(admitted + toldLeftOut).toBe(streams * seconds);
});

test('LoadLogBudget passes over everything else', () => {
  const up = { kind: 'source-up', at: 1, vantage: 'lrs', sourceId: 'lrs' } as const;
  expect(new LoadLogBudget().admit(up)).toBe(up);
});
