import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { addExactSums, exactSumOf, numberOfExactSum, zeroSum } from '@/lib/load/exact-sum';
import type { LoadScope } from '@/lib/load/load-series';
import { splitLoadReport } from '@/lib/load/split-load-report';
import type { ClusterLoad } from '@/lib/observation/observation';
import { LoadBlockWriter } from '@/server/load/load-block';
import { LoadKeeper } from '@/server/recorder/load/load-jobs';
import { LoadNames } from '@/server/recorder/load/load-names';
import { defaultLoadRetention } from '@/server/recorder/load/load-retention';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const start = 500_000 * hourMs;

const uint64 = fc.oneof(fc.nat(1000), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })).map(String);
const value = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.nat(100));

/** A report on one of two clusters, some hours long apart, in any order of time. */
const report = fc.record({
  at: fc.integer({ min: start, max: start + 3 * hourMs }),
  clusterName: fc.constantFrom('cart', 'user'),
  zone: fc.constantFrom('a', 'b'),
  intervalMs: fc.constantFrom(null, 5_000, 10_037.5),
  successful: uint64,
  errors: uint64,
  issued: fc.option(uint64),
  dropped: uint64,
  metric: value,
});
type Report = typeof report extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('report' as const), report }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('tidy' as const),
      now: fc.integer({ min: start, max: start + 5 * hourMs }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'crash' as const }) },
);

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

/** The recorder's file, driven by hand. */
class Story {
  readonly file: string;
  keeper: LoadKeeper;
  names = new LoadNames(1_000);
  nextRawId = 1;

  constructor() {
    const dir = mkdtempSync(path.join(tmpdir(), 'xdscope-load-'));
    dirs.push(dir);
    this.file = path.join(dir, 'load.sqlite');
    this.keeper = new LoadKeeper(this.file);
    this.open();
  }

  open(): void {
    const { nextRawId, series } = this.keeper.open();
    this.nextRawId = nextRawId;
    this.names = new LoadNames(1_000);
    this.names.restore(series);
  }

  reopen(isCrash: boolean): void {
    if (!isCrash) this.keeper.close();
    this.keeper = new LoadKeeper(this.file);
    this.open();
  }

  take({ at, clusterName, zone, intervalMs, successful, errors, issued, dropped, metric }: Report): void {
    const cluster: ClusterLoad = {
      ...{ clusterName, clusterServiceName: '', intervalMs, totalDropped: dropped },
      dropped: [],
      localities: [
        {
          locality: { region: 'eu', zone, subZone: '' },
          ...{ priority: 0, successful, errors, issued, inProgress: '1' },
          metrics: [{ name: 'm', count: '1', sum: metric }],
        },
      ],
    };
    const block = new LoadBlockWriter();
    const scope: LoadScope = {
      ...{ sourceId: 's', vantage: 'lrs', clientId: 'c', clusterName, clusterServiceName: '' },
      ...{ stream: 0, isTimed: intervalMs !== null },
    };
    const series = this.names.streamOf(scope);
    splitLoadReport(cluster, at, (part, values) => {
      block.add(this.names.idOf(series, scope, part) ?? 0, part.kind, values);
    });
    this.keeper.append({
      firstId: this.nextRawId++,
      series: this.names.takeNew(),
      blocks: [{ minute: Math.floor(at / minuteMs) * minuteMs, bytes: block.finish() }],
    });
  }

  tidy(now: number, retention = { ...defaultLoadRetention, rawMs: 2 * hourMs, minutesMs: 3 * hourMs }): void {
    while (this.keeper.tidy({ now, retention }));
  }

  totals(from: number, to: number, by: 'cluster' | 'metric') {
    return this.keeper.read({
      ...{ by, span: { from, to }, stepMs: null, measures: [], limit: 10 },
    });
  }
}

function expectTotals(story: Story, all: readonly Report[], from: number, to: number): void {
  const { span, groups } = story.totals(from, to, 'cluster');
  expect(span.from).toBeLessThanOrEqual(from);
  expect(span.to).toBeGreaterThanOrEqual(to);
  const inside = all.filter(({ at }) => at >= span.from && at < span.to);
  for (const name of ['cart', 'user']) {
    const mine = inside.filter(({ clusterName }) => clusterName === name);
    const group = groups.find(({ key }) => key.clusterName === name);
    const sum = (field: 'successful' | 'errors' | 'dropped' | 'issued') =>
      mine.reduce((total, each) => total + BigInt(each[field] ?? 0), 0n);
    expect(group === undefined).toBe(mine.length === 0);
    if (group === undefined) continue;
    const { totals } = group;
    expect(BigInt(totals.reports)).toBe(BigInt(mine.length));
    expect(BigInt(totals.successful)).toBe(sum('successful'));
    expect(BigInt(totals.errors)).toBe(sum('errors'));
    expect(BigInt(totals.dropped)).toBe(sum('dropped'));
    expect(BigInt(totals.issued)).toBe(sum('issued'));
    expect(BigInt(totals.issuedUnknown)).toBe(BigInt(mine.filter(({ issued }) => issued === null).length));
  }
  const metric = story.totals(from, to, 'metric').groups[0]?.totals.metricSum ?? 0;
  const exact = inside.reduce((total, each) => addExactSums(total, exactSumOf(each.metric)), zeroSum);
  expect(metric).toBe(numberOfExactSum(exact));
}

describe('the file of load', () => {
  test('holds of any range exactly what came in, over rolling up, deleting, restarts and crashes', () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 60 }),
        fc.array(
          fc.tuple(
            fc.integer({ min: start - hourMs, max: start + 4 * hourMs }),
            fc.integer({ min: 1, max: 4 * hourMs }),
          ),
          { minLength: 3, maxLength: 3 },
        ),
        (steps, ranges) => {
          const story = new Story();
          const all: Report[] = [];
          for (const each of steps) {
            if (each.kind === 'report') {
              story.take(each.report);
              all.push(each.report);
            } else if (each.kind === 'tidy') story.tidy(each.now);
            else story.reopen(each.kind === 'crash');
          }
          for (const [from, length] of ranges) expectTotals(story, all, from, from + length);
          story.tidy(start + 6 * hourMs);
          for (const [from, length] of ranges) expectTotals(story, all, from, from + length);
          story.keeper.close();
        },
      ),
      { numRuns: 40 },
    );
  });

  test('takes a batch that comes again for the one that it has', () => {
    const story = new Story();
    const one: Report = {
      ...{ at: start, clusterName: 'cart', zone: 'a', intervalMs: 5_000, successful: '3', errors: '0' },
      ...{ issued: null, dropped: '0', metric: 1 },
    };
    story.take(one);
    story.nextRawId = 1;
    story.take(one);
    expect(story.totals(start, start + 1, 'cluster').groups[0]?.totals.successful).toBe(3);
  });
});
