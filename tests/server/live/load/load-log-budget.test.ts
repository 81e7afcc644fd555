import { expect, test } from 'vitest';
import { LoadLogBudget } from '@/server/live/load/load-log-budget';
import { clusterLoad, loadReported } from '../../../support/builders/load-samples';

const report = (at: number, streamId: string) => loadReported(at, [clusterLoad([])], { streamId });

test('LoadLogBudget admits a few reports unchanged', () => {
  const budget = new LoadLogBudget();
  for (let second = 0; second < 1_000; second++) {
    for (let stream = 0; stream < 20; stream++) {
      const reported = report(second * 1_000, `s${stream}`);
      expect(budget.admit(reported)).toBe(reported);
    }
  }
});

test('LoadLogBudget omits reports beyond the budget, and counts them in the next one', () => {
  const budget = new LoadLogBudget();
  let admitted = 0;
  const heard = new Set<string>();
  let reportedLeftOut = 0;
  const [streams, seconds] = [100, 300];
  for (let second = 0; second < seconds; second++) {
    for (let stream = 0; stream < streams; stream++) {
      const reported = budget.admit(report(second * 1_000, `s${stream}`));
      if (reported?.kind !== 'load-reported') continue;
      admitted += 1;
      if (second > 60) heard.add(reported.streamId);
      reportedLeftOut += reported.leftOut ?? 0;
    }
  }
  expect(admitted).toBeLessThanOrEqual(400 + 20 * (seconds - 1));
  expect(admitted).toBeGreaterThan(400);
  expect(reportedLeftOut).toBeGreaterThan(0);
  // The streams are admitted in turns, not always the same ones.
  expect(heard.size).toBe(streams);
  // Every stream's next one reports all that were left out.
  for (let stream = 0; stream < streams; stream++) {
    const reported = budget.admit(report(10_000_000 + stream * 1_000, `s${stream}`));
    if (reported?.kind === 'load-reported') reportedLeftOut += reported.leftOut ?? 0;
  }
  expect(admitted + reportedLeftOut).toBe(streams * seconds);
});

test('LoadLogBudget ignores other observations', () => {
  const up = { kind: 'source-up', at: 1, vantage: 'lrs', sourceId: 'lrs' } as const;
  expect(new LoadLogBudget().admit(up)).toBe(up);
});
