import { describe, expect, it } from 'vitest';
import { defaultLoadLimits } from '@/lib/load/load-limits';
import { LoadTable } from '@/lib/views/load/load-table';
import { clusterLoad, loadReported, localityLoad } from '../../support/builders/load-samples';

const all = { limit: 1_000_000 };
const rowsOf = (table: LoadTable) => table.rows((id) => id, all).items;

function requestsOf(table: LoadTable): number {
  return rowsOf(table)
    .flatMap(({ localities }) => localities)
    .reduce((sum, { successful }) => sum + Number(successful), 0);
}

describe('LoadTable under load of many names', () => {
  const oneOf = (clusterName: string, reported = {}) =>
    loadReported(1_000, [clusterLoad([localityLoad('z', { successful: '1' })], { clusterName })], reported);

  it('limits rows by client and in total, and adds up the rest, so that totals are correct', () => {
    const limits = { ...defaultLoadLimits, rows: 30, rowsOfClient: 20 };
    const table = new LoadTable(limits);
    for (let index = 0; index < 1_000; index++) table.fold(oneOf(`a-${index}`));
    expect(rowsOf(table)).toHaveLength(11);
    expect(table.used.rows).toBe(22);
    for (let index = 0; index < 1_000; index++) table.fold(oneOf(`b-${index}`, { clientId: 'other' }));
    expect(requestsOf(table)).toBe(2_000);
    expect(rowsOf(table).map(({ clusterName }) => clusterName)).toContain('(beyond the limit)');
    expect(table.used.rows).toBeLessThanOrEqual(limits.rows + 2 * 2);
    expect(table.notices).toEqual([expect.stringMatching(/at most 20 clusters.* of a client, 30 in all/)]);
    expect(table.rows((id) => id, all).notes).toEqual(table.notices);
    // Known names are still counted separately.
    table.fold(oneOf('a-0'));
    expect(rowsOf(table).find(({ clusterName }) => clusterName === 'a-0')?.reports).toBe(2);
  });

  it('returns the part of a report that has room', () => {
    const table = new LoadTable({ ...defaultLoadLimits, rowsOfClient: 2 });
    const first = oneOf('cart');
    expect(table.fold(first)).toBe(first);
    expect(table.fold(oneOf('pay'))?.clusters).toMatchObject([
      { clusterName: '(beyond the limit)', localities: [{ successful: '1' }] },
    ]);
  });

  it('adds up names that are too long', () => {
    const table = new LoadTable();
    table.fold(oneOf('x'.repeat(100_000)));
    expect(rowsOf(table)).toMatchObject([{ clusterName: '(beyond the limit)' }]);
  });

  it('drops clients beyond the limit, and counts their reports', () => {
    const table = new LoadTable({ ...defaultLoadLimits, clients: 2 });
    for (const clientId of ['a', 'b', 'c', 'c', 'a']) table.fold(oneOf('cart', { clientId }));
    expect(table.beyond).toEqual({ rows: 0, reports: 2 });
    expect(table.notices).toEqual([expect.stringMatching(/at most 2 clients.*2 reports of others/)]);
  });

  it('frees the rows and names of removed clients and sources', () => {
    const table = new LoadTable();
    table.fold(oneOf('shared', { clientId: 'stays' }));
    const before = { ...table.used };
    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < 500; index++) {
        table.fold(oneOf(`r${round}-${index}`, { clientId: 'goes' }));
        table.fold(oneOf(`s${round}-${index}`, { sourceId: 'tap', clientId: `c${index}` }));
      }
      table.fold(oneOf('shared', { clientId: 'goes' }));
      expect(table.used.rows).toBe(before.rows + 2_002);
      table.removeClient('goes');
      table.removeSource('tap');
      expect(table.used).toEqual(before);
    }
    expect(rowsOf(table)).toMatchObject([{ clusterName: 'shared', reports: 1 }]);
    // The numbers of freed names are reused for new names.
    table.fold(oneOf('new-1'));
    table.fold(oneOf('new-2'));
    expect(rowsOf(table).map(({ clusterName }) => clusterName)).toEqual(['shared', 'new-1', 'new-2']);
    expect(requestsOf(table)).toBe(3);
  });
});
