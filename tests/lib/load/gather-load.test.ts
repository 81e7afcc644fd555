import { describe, expect, test } from 'vitest';
import { addCounts } from '@/lib/load/count';
import { LoadGatherer } from '@/lib/load/gather-load';
import type { LoadGrouping, LoadMeasure, LoadSort } from '@/lib/load/load-question';
import { type LoadSeries, loadPartKey } from '@/lib/load/load-series';
import type { LoadValues } from '@/lib/load/load-values';
import { splitLoadReport } from '@/lib/load/split-load-report';
import type { LoadReported } from '@/lib/observation/observation';
import { clusterLoad, loadReported, localityLoad } from '../../support/builders/load-samples';

const stepMs = 10_000;

/** Values are added in order of time. */
function addTo(sum: LoadValues, reported: LoadValues): void {
  for (const [index, count] of reported.counters.entries()) {
    sum.counters[index] = addCounts(sum.counters[index] ?? 0, count);
  }
  for (const [index, gauge] of reported.gauges.entries()) sum.gauges[index] = gauge;
  sum.at = reported.at;
  sum.sum += reported.sum;
}

/** The answer of the recorder about these reports, in steps of 10 s from 0. */
function gather(
  by: LoadGrouping,
  reports: readonly LoadReported[],
  measures: LoadMeasure[] = ['requests'],
  sort?: LoadSort,
) {
  const ids = new Map<string, number>();
  const series: (LoadSeries & { id: number })[] = [];
  const values: [number, number, LoadValues][] = [];
  for (const { at, sourceId, vantage, clientId, clusters, streamId } of reports) {
    for (const cluster of clusters) {
      const { clusterName, clusterServiceName, intervalMs } = cluster;
      const scope = {
        ...{ sourceId, vantage, clientId, clusterName, clusterServiceName },
        ...{ stream: Number(streamId.slice(1)), isTimed: intervalMs !== null },
      };
      splitLoadReport(cluster, at, (part, reported) => {
        const key = JSON.stringify(scope) + loadPartKey(part);
        const id = ids.get(key) ?? ids.size;
        if (!ids.has(key)) series.push({ id, scope, part });
        ids.set(key, id);
        values.push([id, Math.floor(at / stepMs), reported]);
      });
    }
  }
  const gatherer = new LoadGatherer(series, by);
  for (const [id, step, reported] of values) {
    const kind = series.find((each) => each.id === id)?.part.kind;
    if (kind && gatherer.isWanted(id)) addTo(gatherer.sumOf(id, kind, step), reported);
  }
  return gatherer.finish(measures, 3, 10, sort).groups;
}

describe('LoadGatherer', () => {
  test.each([
    [undefined, ['a', 'b', 'c']],
    ['errors', ['b', 'a', 'c']],
    ['in-flight', ['c', 'a', 'b']],
    ['drops', ['a', 'b', 'c']],
  ] as const)('ranks by %s', (sort, expected) => {
    const reports = [
      loadReported(1, [
        clusterLoad([
          localityLoad('a', { successful: '90', errors: '1', inProgress: '2' }),
          localityLoad('b', { successful: '10', errors: '9', inProgress: '1' }),
          localityLoad('c', { successful: '1', errors: '0', inProgress: '3' }),
        ]),
      ]),
    ];
    const groups = gather('locality', reports, ['requests'], sort);
    expect(groups.map(({ key }) => key.locality?.zone)).toEqual(expected);
  });

  test('computes rates from the intervals of reports, not from the step', () => {
    const [cart] = gather('cluster', [
      loadReported(1, [clusterLoad([localityLoad('a', { successful: '50' })], { intervalMs: 5_000 })]),
      loadReported(5_001, [clusterLoad([localityLoad('a', { successful: '70' })], { intervalMs: 5_000 })]),
    ]);
    expect(cart?.values.requests).toEqual([12, null, null]);
  });

  test('counts reports with an invalid interval in totals, but not in rates', () => {
    const [cart] = gather('cluster', [
      loadReported(1, [clusterLoad([localityLoad('a', { successful: '1000' })], { intervalMs: null })]),
      loadReported(2, [clusterLoad([localityLoad('a', { successful: '20' })])]),
    ]);
    expect(cart?.values.requests?.[0]).toBe(2);
    expect(cart?.totals).toMatchObject({ successful: 1020, reports: 2, timedReports: 1, coveredUs: 10e6 });
  });

  test('an omitted locality is unknown in that step, not zero', () => {
    const groups = gather(
      'locality',
      [
        loadReported(1, [
          clusterLoad([localityLoad('a', { successful: '10' }), localityLoad('b', { successful: '40' })]),
        ]),
        loadReported(2, [clusterLoad([localityLoad('a', { successful: '10' })])]),
        loadReported(11_000, [clusterLoad([localityLoad('a', { successful: '10', inProgress: '3' })])]),
      ],
      ['requests', 'in-flight'],
    );
    expect(
      groups.map(({ key, values }) => [key.locality?.zone, values.requests, values['in-flight']]),
    ).toEqual([
      ['b', [2, null, null], [0, null, null]],
      ['a', [1, 1, null], [0, 3, null]],
    ]);
  });

  test('adds up the newest gauges of streams and clients', () => {
    const reported = (inProgress: string) => [clusterLoad([localityLoad('a', { inProgress })])];
    const [cart] = gather(
      'cluster',
      [
        loadReported(1, reported('7')),
        loadReported(2, reported('2')),
        loadReported(3, reported('10'), { streamId: 's2' }),
        loadReported(4, reported('100'), { clientId: 'other' }),
      ],
      ['in-flight'],
    );
    expect(cart?.values['in-flight']).toEqual([112, null, null]);
  });

  test('counts a report of a tap and our receiver once, and all reports of two receivers', () => {
    const reported = [clusterLoad([localityLoad('a', { successful: '5' })])];
    const tap = { vantage: 'tap', sourceId: 'tap' } as const;
    expect(
      gather('cluster', [loadReported(1, reported, tap), loadReported(2, reported)])[0]?.totals.successful,
    ).toBe(5);
    expect(gather('cluster', [loadReported(1, reported, tap)])[0]?.totals.successful).toBe(5);
    const other = { sourceId: 'lrs-2' };
    expect(
      gather('cluster', [loadReported(1, reported), loadReported(2, reported, other)])[0]?.totals.successful,
    ).toBe(10);
  });

  test('marks issued as incomplete if a report lacks it', () => {
    const [cart] = gather('cluster', [
      loadReported(1, [
        clusterLoad([localityLoad('a', { issued: '4' }), localityLoad('b', { issued: null })]),
      ]),
    ]);
    expect(cart?.totals).toMatchObject({ issued: 4, issuedUnknown: 1 });
  });

  test('lists drops by category, and those without a category', () => {
    const groups = gather(
      'drop-category',
      [
        loadReported(1, [
          clusterLoad([], {
            totalDropped: '30',
            dropped: [
              { category: 'lb', count: '20' },
              { category: 'throttle', count: '4' },
            ],
          }),
        ]),
      ],
      ['drops'],
    );
    expect(
      groups.map(({ key, totals, values }) => [key.category, totals.dropped, values.drops?.[0]]),
    ).toEqual([
      ['lb', 20, 2],
      ['', 6, 0.6],
      ['throttle', 4, 0.4],
    ]);
  });

  test('reports the mean of a metric', () => {
    const metric = (sum: number | null, count: string) => [
      clusterLoad([localityLoad('a', { metrics: [{ name: 'queue', count, sum }] })]),
    ];
    const [queue] = gather(
      'metric',
      [loadReported(1, metric(6, '3')), loadReported(2, metric(2, '1')), loadReported(3, metric(null, '0'))],
      ['metric'],
    );
    expect(queue?.values.metric).toEqual([2, null, null]);
    expect(queue?.totals).toMatchObject({ metricCount: 4, metricSum: 8, metricNotFinite: 1 });
  });
});
