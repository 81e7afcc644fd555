import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LoadGrouping } from '@/lib/load/load-question';
import type { LoadScope } from '@/lib/load/load-series';
import { splitLoadReport } from '@/lib/load/split-load-report';
import type { ClusterLoad } from '@/lib/observation/observation';
import { LoadBlockWriter } from '@/server/live/load/load-block';
import { LoadJobRunner } from '@/server/live/load/load-jobs';
import { LoadNames } from '@/server/live/load/load-names';
import { defaultLoadRetention } from '@/server/live/load/load-retention';
import type { StoreDatabase } from '@/server/store/schema';
import { runs } from '@/tests/support/runs';
import { describeEngines } from '../../store/engines';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const start = 500_000 * hourMs;

const uint64 = fc.oneof(fc.nat(1000), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })).map(String);
const value = fc.oneof(fc.double({ min: -1e300, max: 1e300, noNaN: true }), fc.nat(100));

/**
 * A report of one of two clients on one of two clusters to one of two receivers, within some hours, in any order of
 * time.
 */
const report = fc.record({
  client: fc.constantFrom<string>('c', 'd'),
  source: fc.constantFrom('s', 't'),
  at: fc.integer({ min: start, max: start + 3 * hourMs }),
  clusterName: fc.constantFrom<string>('cart', 'user'),
  zone: fc.constantFrom('a', 'b'),
  intervalMs: fc.constantFrom<number | null>(null, 5_000, 10_037.5),
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

/** Drives the jobs of the recorder by hand. */
class Story {
  runner: LoadJobRunner;
  names = new LoadNames(1_000);
  nextRawId = 1;

  private constructor(
    readonly store: StoreDatabase,
    readonly fleetFrom: number,
  ) {
    this.runner = this.#makeRunner();
  }

  /** `fleetFrom`: see LoadJobRunner. */
  static async begin(store: StoreDatabase, fleetFrom = 0): Promise<Story> {
    const story = new Story(store, fleetFrom);
    await story.open();
    return story;
  }

  #makeRunner(): LoadJobRunner {
    // The store is closed after the test.
    const database = { ...this.store, close: async () => undefined };
    return new LoadJobRunner(async () => ({ database, assertInPlace: () => undefined }), this.fleetFrom);
  }

  async open(): Promise<void> {
    const { nextRawId, series } = await this.runner.open();
    this.nextRawId = nextRawId;
    this.names = new LoadNames(1_000);
    this.names.restore(series);
  }

  async reopen(isCrash: boolean): Promise<void> {
    if (!isCrash) await this.runner.close();
    this.runner = this.#makeRunner();
    await this.open();
  }

  async take(
    {
      client,
      source,
      at,
      clusterName,
      zone,
      intervalMs,
      successful,
      errors,
      issued,
      dropped,
      metric,
    }: Report,
    vantage: LoadScope['vantage'] = 'lrs',
  ): Promise<void> {
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
      ...{ sourceId: source, vantage, clientId: client, clusterName, clusterServiceName: '' },
      ...{ stream: 0, isTimed: intervalMs !== null },
    };
    const series = this.names.streamOf(scope);
    splitLoadReport(cluster, at, (part, values) => {
      block.add(this.names.idOf(series, scope, part) ?? 0, part.kind, values);
    });
    await this.runner.append({
      firstId: this.nextRawId++,
      series: this.names.takeNew(),
      blocks: [{ minute: Math.floor(at / minuteMs) * minuteMs, bytes: block.finish() }],
    });
  }

  async tidy(
    now: number,
    retention = { ...defaultLoadRetention, rawMs: 2 * hourMs, minutesMs: 3 * hourMs },
  ): Promise<void> {
    while (await this.runner.tidy({ now, retention }));
  }

  totals(from: number, to: number, by: LoadGrouping, stepMs: number | null = null) {
    return this.runner.read({
      ...{ by, span: { from, to }, stepMs, endsExactly: true, measures: [], limit: 10 },
    });
  }

  chart(stepMs: number, from: number, to: number) {
    const measures = ['requests', 'errors', 'error-ratio', 'in-flight', 'drops'] as const;
    return this.runner.read({
      ...{ by: 'locality', cluster: 'cart', span: { from, to }, stepMs, measures, limit: 10 },
    });
  }
}

async function expectTotals(story: Story, all: readonly Report[], from: number, to: number): Promise<void> {
  for (const stepMs of [null, 5_000, 300_000]) await expectTotalsIn(story, all, [from, to], stepMs);
}

async function expectTotalsIn(
  story: Story,
  all: readonly Report[],
  [from, to]: readonly [number, number],
  stepMs: number | null,
): Promise<void> {
  const { span, groups } = await story.totals(from, to, 'cluster', stepMs);
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
  const metric = (await story.totals(from, to, 'metric', stepMs)).groups[0]?.totals.metricSum ?? 0;
  // Doubles are added up in another order here.
  const size = inside.reduce((total, each) => total + Math.abs(each.metric), 0);
  const sum = inside.reduce((total, each) => total + each.metric, 0);
  expect(Math.abs(metric - sum)).toBeLessThanOrEqual(size * 1e-12);
}

const usual: Report = {
  ...{ client: 'c', source: 's', at: start, clusterName: 'cart', zone: 'a', intervalMs: 10_000 },
  ...{ successful: '0', errors: '0', issued: null, dropped: '0', metric: 1 },
};

describeEngines('LoadJobRunner', ({ engine, open }) => {
  const begin = async (fleetFrom?: number) => Story.begin(await open(), fleetFrom);

  test('returns of any range exactly what was reported, after roll-up, deletion, restarts and crashes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 60 }),
        fc.array(
          fc.tuple(
            fc.integer({ min: start - hourMs, max: start + 4 * hourMs }),
            fc.integer({ min: 1, max: 4 * hourMs }),
          ),
          { minLength: 3, maxLength: 3 },
        ),
        async (steps, ranges) => {
          const story = await begin();
          const all: Report[] = [];
          for (const each of steps) {
            if (each.kind === 'report') {
              await story.take(each.report);
              all.push(each.report);
            } else if (each.kind === 'tidy') await story.tidy(each.now);
            else await story.reopen(each.kind === 'crash');
          }
          for (const [from, length] of ranges) await expectTotals(story, all, from, from + length);
          await story.tidy(start + 6 * hourMs);
          for (const [from, length] of ranges) await expectTotals(story, all, from, from + length);
        },
      ),
      { numRuns: runs(engine === 'sqlite' ? 40 : 8) },
    );
  });

  test('ignores a repeated batch', async () => {
    const story = await begin();
    const one: Report = { ...usual, successful: '3' };
    await story.take(one);
    story.nextRawId = 1;
    await story.take(one);
    for (const stepMs of [null, 10_000]) {
      const { groups } = await story.totals(start, start + 1, 'cluster', stepMs);
      expect(groups[0]?.totals.successful).toBe(3);
    }
  });

  test('computes charts of all clients from the fleet as from each client', async () => {
    const [fleet, single] = [await begin(0), await begin(Number.POSITIVE_INFINITY)];
    const minutes = 7;
    for (let at = start; at < start + minutes * minuteMs; at += 2_000) {
      // Each client reports at its own time every 10 s; one reports only each minute.
      const turn = ((at - start) / 2_000) % 5;
      const isSlow = turn === 4;
      if (isSlow && (at - start) % minuteMs !== 8_000) continue;
      const reported: Report = {
        ...{ ...usual, at: at + 7, client: `client ${turn}`, zone: turn % 2 === 0 ? 'a' : 'b' },
        ...{ intervalMs: isSlow ? 60_000 : 10_000, errors: String(turn), dropped: '30' },
        successful: String((isSlow ? 6_000 : 1_000) * (turn + 1)),
      };
      for (const story of [fleet, single]) await story.take(reported);
    }
    const to = start + minutes * minuteMs;
    for (const now of [start, to + minuteMs]) {
      for (const story of [fleet, single]) await story.tidy(now);
      for (const stepMs of [10_000, 30_000, minuteMs, 5 * minuteMs]) {
        const [one, other] = [await fleet.chart(stepMs, start, to), await single.chart(stepMs, start, to)];
        expect(one.groups).toHaveLength(2);
        one.groups.forEach(({ key, totals, values }, index) => {
          const own = other.groups[index];
          expect({ key, totals }).toEqual({ key: own?.key, totals: own?.totals });
          for (const [measure, reported] of Object.entries(values)) {
            const expected = own?.values[measure as keyof typeof values] ?? [];
            expect(reported).toHaveLength(expected.length);
            const differences = reported.flatMap((each, step) => {
              const other = expected[step];
              const isOver = (step + 1) * stepMs <= minutes * minuteMs;
              const isSame =
                each === null || other === null || other === undefined
                  ? each === other
                  : !isOver || Math.abs(each - other) < 5e-7;
              return isSame ? [] : [{ measure, step, each, other }];
            });
            expect(differences).toEqual([]);
          }
        });
      }
    }
  });

  test('distinguishes clusters whose names are long and begin alike', async () => {
    const story = await begin();
    const names = ['a', 'b'].map((end) => `${'ü'.repeat(1_023)}${end}`);
    for (const [index, clusterName] of names.entries()) {
      await story.take({ ...usual, clusterName, successful: String(index + 1) });
    }
    for (const [index, cluster] of names.entries()) {
      const span = { from: start, to: start + 1 };
      const { groups } = await story.runner.read({
        ...{ by: 'cluster', cluster, span, stepMs: null, measures: [], limit: 10 },
      });
      expect(groups.map(({ totals }) => totals.successful)).toEqual([index + 1]);
    }
  });

  test('counts a report once if a tap and a receiver reported it', async () => {
    const story = await begin();
    await story.take({ ...usual, client: 'c', source: 's', successful: '40' });
    await story.take({ ...usual, client: 'c', source: 't', successful: '40' }, 'tap');
    await story.take({ ...usual, client: 'd', source: 't', successful: '2' }, 'tap');
    for (const stepMs of [null, 10_000, minuteMs]) {
      const { groups } = await story.totals(start, start + minuteMs, 'locality', stepMs);
      expect(groups[0]?.totals.successful).toBe(42);
    }
  });

  test('counts a batch whose first write failed once it is written', async () => {
    const story = await begin();
    await story.take({ ...usual, successful: '40' });
    const { db } = story.store;
    await db.schema.alterTable('load_fleet').renameTo('moved').execute();
    const late: Report = { ...usual, client: 'd', clusterName: 'user', successful: '2' };
    await expect(story.take(late)).rejects.toThrow('load_fleet');
    await db.schema.alterTable('moved').renameTo('load_fleet').execute();
    story.nextRawId -= 1;
    story.names = new LoadNames(1_000);
    story.names.restore((await story.runner.open()).series);
    await story.take(late);
    for (const stepMs of [null, 10_000]) {
      const { groups } = await story.totals(start, start + minuteMs, 'cluster', stepMs);
      expect(groups.map(({ totals }) => totals.successful)).toEqual([40, 2]);
    }
  });
});
