import { describe, expect, it } from 'vitest';
import {
  formatShares,
  measuredRuns,
  measurePriorities,
  sharesBetween,
  sharesOfPeriod,
} from '@/lib/views/failover/measured-priorities';
import type { FailoverPeriod } from '@/lib/views/failover/periods-schema';
import type { LoadSeriesAnswer } from '@/lib/views/load/schema';

const measured = {
  from: 10_000,
  stepMs: 5_000,
  lines: [
    { priority: 0, values: [4, 2, null, null, 0] },
    { priority: 1, values: [null, 2, null, 3, 0] },
  ],
};

describe('sharesBetween', () => {
  it('counts the steps that lie wholly in the time', () => {
    expect(formatShares(sharesBetween(measured, 10_000, 20_000))).toBe('P0 75%, P1 25%');
    expect(formatShares(sharesBetween(measured, 10_001, 19_999))).toBe('');
    expect(formatShares([{ priority: 1, share: 1 }], ['near P0', 'far P0'])).toBe('far P0 100%');
    expect(formatShares(sharesBetween(measured, 14_000, 31_000))).toBe('P0 29%, P1 71%');
    expect(sharesBetween(measured, 0, 1_000)).toEqual([]);
  });
});

describe('measuredRuns', () => {
  it('joins equal adjacent steps, and leaves out steps without requests', () => {
    const alike = { ...measured, lines: [{ priority: 0, values: [4, 9, null, 1] }] };
    expect(measuredRuns(alike, () => []).map(({ from, to, text }) => [from, to, text])).toEqual([
      [10_000, 20_000, 'P0 100%'],
      [25_000, 30_000, 'P0 100%'],
    ]);
    expect(measuredRuns(measured, () => []).map(({ text }) => text)).toEqual([
      'P0 100%',
      'P0 50%, P1 50%',
      'P1 100%',
    ]);
  });
});

describe('measurePriorities', () => {
  const zone = (name: string) => ({ region: '', zone: name, subZone: '' });
  const totals = {
    ...{ reports: '0', successful: '0', errors: '0', dropped: '0' },
    ...{ metricCount: '0', metricSum: 0, metricNotFinite: '0', lastAt: 0 },
  };
  const answerOf = (lines: Record<string, (number | null)[]>): LoadSeriesAnswer => ({
    ...{ by: 'locality', from: 0, to: 40_000, stepMs: 10_000 },
    ...{ othersCount: 0, notes: [] },
    groups: Object.entries(lines).map(([name, requests]) => {
      return { key: { locality: zone(name) }, name, totals, values: { requests } };
    }),
  });
  const periodOf = (second: number, places: Record<string, number> | null): FailoverPeriod => ({
    ...{ turn: 'other', priorities: ['P0', 'P1'], grpc: 'P0', envoy: [100, 0] },
    ...{ grpcSentences: [], envoySentences: [], fromAt: second * 1_000 },
    places:
      places === null
        ? undefined
        : Object.entries(places).map(([locality, priority]) => ({ cluster: 'cart', locality, priority })),
  });

  it('uses the priority of a locality at the time, not the reported one', () => {
    const periods = [periodOf(0, { a: 0, b: 1 }), periodOf(10, null), periodOf(20, { a: 1, b: 0 })];
    const answer = answerOf({ a: [4, 3, 2, 1], b: [null, 1, 2, 3], elsewhere: [9, 9, 9, 9] });
    expect(measurePriorities(periods, [{ cluster: 'cart', answer }])).toEqual({
      from: 0,
      stepMs: 10_000,
      lines: [
        { priority: 0, values: [4, 3, 2, 3] },
        { priority: 1, values: [null, 1, 2, 1] },
      ],
    });
  });

  it('sums up the loads of a period by its places', () => {
    const reported = [0.25, 0.25, 0.5].map((share, at) => ({
      locality: 'abc'[at] ?? '',
      requests: 1,
      share,
    }));
    const periods = [periodOf(0, { a: 0, b: 0, c: 1 }), { ...periodOf(10, null), measured: reported }];
    expect(formatShares(sharesOfPeriod(periods, 1))).toBe('P0 50%, P1 50%');
    expect(sharesOfPeriod(periods, 0)).toEqual([]);
  });

  it('is empty for a cluster without reports', () => {
    expect(measurePriorities([periodOf(0, { a: 0 })], []).lines).toEqual([]);
  });
});
