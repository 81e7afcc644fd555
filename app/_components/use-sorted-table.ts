'use client';

import { useMemo, useState } from 'react';
import { compareValues } from '@/lib/format/compare-names';
import type { DataColumn, DataSort } from './data-column';

interface TableRow<Row> {
  readonly id: string;
  readonly original: Row;
}

interface SortedTableOptions<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly DataColumn<Row>[];
  readonly rowId: (row: Row) => string;
  readonly sort: DataSort | null;
  readonly onSortChange?: (sort: DataSort | null) => void;
  readonly isSorted?: boolean;
}

interface SortedTable<Row> {
  readonly rows: readonly TableRow<Row>[];
  readonly sort: DataSort | null;
  readonly setSort: (sort: DataSort | null) => void;
}

/** Sorts the rows. Without `onSortChange` the order is kept here. */
export function useSortedTable<Row>(options: SortedTableOptions<Row>): SortedTable<Row> {
  const { rows: data, columns, rowId, onSortChange, isSorted = false } = options;
  const [ownSort, setOwnSort] = useState(options.sort);
  const sort = onSortChange === undefined ? ownSort : options.sort;
  const identified = useMemo(
    () => data.map((original): TableRow<Row> => ({ id: rowId(original), original })),
    [data, rowId],
  );
  const { columnId, descending = false } = sort ?? {};
  const sortValue = isSorted ? undefined : columns.find(({ id }) => id === columnId)?.sortValue;
  const rows = useMemo(
    () => (sortValue === undefined ? identified : sortRows(identified, sortValue, descending)),
    [identified, sortValue, descending],
  );
  return { rows, sort, setSort: onSortChange ?? setOwnSort };
}

/** Rows without a value are last in both directions; equal ones keep their order. */
function sortRows<Row>(
  rows: readonly TableRow<Row>[],
  sortValue: (row: Row) => string | number | null,
  descending: boolean,
): TableRow<Row>[] {
  const valued: { readonly row: TableRow<Row>; readonly value: string | number }[] = [];
  const rest: TableRow<Row>[] = [];
  for (const row of rows) {
    const value = sortValue(row.original);
    if (value === null) rest.push(row);
    else valued.push({ row, value });
  }
  valued.sort((a, b) => (descending ? compareValues(b.value, a.value) : compareValues(a.value, b.value)));
  return [...valued.map(({ row }) => row), ...rest];
}

/** The order after a click on the header of a column: its first direction, the other one, none. */
export function nextSort(
  { id: columnId, sortsDescendingFirst = false }: Pick<DataColumn<never>, 'id' | 'sortsDescendingFirst'>,
  sort: DataSort | null,
): DataSort | null {
  if (sort?.columnId !== columnId) return { columnId, descending: sortsDescendingFirst };
  return sort.descending === sortsDescendingFirst ? { columnId, descending: !sortsDescendingFirst } : null;
}
