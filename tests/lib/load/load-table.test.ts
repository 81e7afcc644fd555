import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LoadReported, LocalityLoad } from '@/lib/observation/observation';
import { LoadTable } from '@/lib/views/load/load-table';
import { runs } from '@/tests/support/runs';
import { sampleNode } from '../../support/builders/observation-samples';

function report(at: number, localities: LocalityLoad[], intervalMs: number | null = 5_000): LoadReported {
  return {
    kind: 'load-reported',
    at,
    vantage: 'lrs',
    sourceId: 'lrs:x',
    clientId: 'c1',
    node: sampleNode('web'),
    scope: '',
    streamId: 's',
    clusters: [
      {
        clusterName: 'cart',
        clusterServiceName: '',
        intervalMs,
        totalDropped: '3',
        dropped: [{ category: 'lb', count: '2' }],
        localities,
      },
    ],
  };
}

function locality(overrides: Partial<LocalityLoad> = {}): LocalityLoad {
  return {
    locality: { region: 'eu', zone: 'a', subZone: '' },
    priority: 0,
    successful: '10',
    errors: '1',
    issued: '12',
    inProgress: '4',
    ...overrides,
  };
}

function rowsAfter(...reports: LoadReported[]) {
  const table = new LoadTable();
  for (const each of reports) table.fold(each);
  return table.rows(() => 'web', { limit: 1_000 }).items;
}

describe('LoadTable', () => {
  it('adds counters and replaces gauges', () => {
    const [row] = rowsAfter(report(1, [locality()]), report(2, [locality({ inProgress: '7' })]));
    expect(row).toMatchObject({ reports: 2, totalDropped: '6', dropped: [{ category: 'lb', count: '4' }] });
    expect(row?.localities[0]).toMatchObject({
      successful: '20',
      errors: '2',
      issued: '24',
      inProgress: '7',
    });
  });

  it('counts a report that a tap and the receiver observe once', () => {
    const tapped = (at: number): LoadReported => ({
      ...report(at, [locality()]),
      vantage: 'tap',
      sourceId: 'tap:x',
    });
    const rows = rowsAfter(tapped(1), report(2, [locality()]), tapped(3), report(4, [locality()]), tapped(5));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ reports: 2, totalDropped: '6' });
    expect(rows[0]?.localities[0]).toMatchObject({ successful: '20' });
    expect(rowsAfter(tapped(1), tapped(2))[0]).toMatchObject({ reports: 2 });
  });

  it('keeps counters exact beyond 2^53', () => {
    const huge = locality({ successful: '18446744073709551615' });
    expect(rowsAfter(report(1, [huge]), report(2, [huge]))[0]?.localities[0]?.successful).toBe(
      '36893488147419103230',
    );
  });

  it('leaves the sum of issued requests unknown if one report lacks it', () => {
    expect(
      rowsAfter(report(1, [locality()]), report(2, [locality({ issued: null })]))[0]?.localities[0]?.issued,
    ).toBeUndefined();
    expect(
      rowsAfter(report(1, [locality({ issued: null })]), report(2, [locality()]))[0]?.localities[0]?.issued,
    ).toBeUndefined();
  });

  it('computes rates from the reported interval, and none without one', () => {
    expect(rowsAfter(report(1, [locality()]))[0]?.localities[0]?.successfulPerSecond).toBe(2);
    expect(rowsAfter(report(1, [locality()], null))[0]?.localities[0]?.successfulPerSecond).toBeUndefined();
  });

  it('has exact totals, whatever the reports contain', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { maxLength: 4 })),
        (batches) => {
          const reports = batches.map((counts, at) =>
            report(
              at,
              counts.map((count, zone) =>
                locality({
                  successful: String(count),
                  locality: { region: '', zone: String(zone), subZone: '' },
                }),
              ),
            ),
          );
          const total = rowsAfter(...reports)
            .flatMap((row) => row.localities)
            .reduce((sum, l) => sum + BigInt(l.successful), 0n);
          expect(total).toBe(batches.flat().reduce((sum, count) => sum + count, 0n));
        },
      ),
      { numRuns: runs(100) },
    );
  });
});

it('returns the rows with the newest reports, by name, and the number of all', () => {
  const table = new LoadTable();
  for (let client = 0; client < 40; client++) {
    table.fold({ ...report(1_000 + ((client * 7) % 40), [locality()]), clientId: `c${client}` });
  }
  const { items, total } = table.rows((clientId) => clientId, { limit: 3 });
  expect(total).toBe(40);
  const last = [37, 38, 39].map((at) => [...Array(40).keys()].find((client) => (client * 7) % 40 === at));
  expect(items.map(({ nodeId }) => nodeId).sort()).toEqual(last.map((client) => `c${client}`).sort());
  const one = table.rows((clientId) => clientId, { client: 'c5', cluster: 'cart', limit: 3 });
  expect([one.total, one.items.map(({ clientId }) => clientId)]).toEqual([1, ['c5']]);
  expect(table.rows((clientId) => clientId, { cluster: 'nobody', limit: 3 })).toEqual({
    ...{ items: [], total: 0, notes: [] },
  });
});

it('states how many reports its sums are without', () => {
  const table = new LoadTable();
  const rowsOf = () => table.rows(() => 'web', { limit: 10 }).notes;
  table.fold(report(1, [locality()]));
  expect(rowsOf()).toEqual([]);
  table.fold({ ...report(2, [locality()]), leftOut: 41 });
  table.fold({ ...report(3, [locality()]), leftOut: 1 });
  expect(rowsOf()).toEqual(['The sums are without 42 reports that are not in the log: see Over time.']);
});
