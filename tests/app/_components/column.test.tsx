import { isValidElement } from 'react';
import { describe, expect, it } from 'vitest';
import { NotReported } from '@/app/_components/bytes-text';
import { column, unsorted } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { TimeAgo } from '@/app/_components/time-ago';
import { typeColumn } from '@/app/_components/type-column';

interface Row {
  readonly calls?: number | null;
  readonly at?: number | null;
}

const calls: DataColumn<Row> = column('calls', 'Calls', (row) => row.calls, { as: 'count' });
const cds = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';

function propsOf(each: DataColumn<Row>, row: Row, component: unknown): unknown {
  const cell = each.cell(row);
  if (!isValidElement(cell) || cell.type !== component) throw new Error(`unexpected cell: ${String(cell)}`);
  return cell.props;
}

describe('column', () => {
  it('shows a count at the right, and sorts the largest first', () => {
    expect(calls).toMatchObject({ id: 'calls', header: 'Calls', align: 'right', sortsDescendingFirst: true });
    expect(calls.cell({ calls: 0 })).toBe('0');
    expect(calls.cell({ calls: 12_345 })).toBe('12,345');
    expect(calls.sortValue?.({ calls: 0 })).toBe(0);
  });

  it('states that a value is absent, and sorts it last', () => {
    expect(propsOf(calls, { calls: null }, NotReported)).toEqual({ why: undefined });
    expect(propsOf(calls, {}, NotReported)).toEqual({ why: undefined });
    expect(calls.sortValue?.({})).toBeNull();
  });

  it('states why a value is absent, or leaves the cell empty where nothing is missing', () => {
    const weight = (why: string | null): DataColumn<Row> =>
      column('weight', 'Weight', (row) => row.calls, { as: 'count', why });
    expect(propsOf(weight('not set'), {}, NotReported)).toEqual({ why: 'not set' });
    expect(weight(null).cell({})).toBeNull();
    const byRow: DataColumn<Row> = column('at', 'At', (row) => row.at, {
      why: ({ calls }) => (calls === 0 ? null : 'no time'),
    });
    expect(byRow.cell({ calls: 0 })).toBeNull();
    expect(propsOf(byRow, { calls: 1 }, NotReported)).toEqual({ why: 'no time' });
  });

  it('shows a time as an age', () => {
    const at: DataColumn<Row> = column('at', 'At', (row) => row.at, { as: 'ago' });
    const time = Date.parse('2026-11-28T18:00:00.000Z');
    expect(propsOf(at, { at: time }, TimeAgo)).toEqual({ at: time });
    expect(propsOf(at, {}, NotReported)).toEqual({ why: 'never' });
  });

  it('sorts types by their short names', () => {
    expect(typeColumn<{ typeUrl: string }>().sortValue?.({ typeUrl: cds })).toBe('CDS');
  });

  it('passes the value and its row to a function that shows them', () => {
    const share: DataColumn<Row> = column('share', 'Share', (row) => row.calls, {
      as: (count, row) => `${count} at ${row.at}`,
      widthPx: 50,
    });
    expect(share.cell({ calls: 2, at: 12 })).toBe('2 at 12');
    expect(share.widthPx).toBe(50);
  });
});

describe('unsorted', () => {
  it('removes the sort order of each column', () => {
    expect(unsorted([calls])[0]).not.toHaveProperty('sortValue');
  });
});
