'use client';

import {
  type ColumnDef,
  columnSizingFeature,
  createSortedRowModel,
  type ReactTable,
  type RowData,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useMemo, useState } from 'react';
import { compareValues } from '@/lib/format/compare-names';
import type { DataColumn, DataSort } from './data-column';

const features = tableFeatures({
  columnSizingFeature,
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
});

export type SortedTableFeatures = typeof features;
export type SortedTable<Row extends RowData> = ReactTable<SortedTableFeatures, Row>;

interface SortedTableOptions<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly DataColumn<Row>[];
  readonly rowId: (row: Row) => string;
  readonly sort: DataSort | null;
  readonly onSortChange?: (sort: DataSort | null) => void;
  readonly isSorted?: boolean;
}

/** Sorting and column widths. Without `onSortChange` the order is kept here. */
export function useSortedTable<Row extends RowData>(options: SortedTableOptions<Row>): SortedTable<Row> {
  const { rows, columns, rowId, onSortChange } = options;
  const [ownSort, setOwnSort] = useState(options.sort);
  const sort = onSortChange === undefined ? ownSort : options.sort;

  const definitions = useMemo<ColumnDef<SortedTableFeatures, Row>[]>(
    () =>
      columns.map((column) => ({
        id: column.id,
        accessorFn: (row) => column.sortValue?.(row) ?? undefined,
        enableSorting: column.sortValue !== undefined,
        sortFn: (a, b, columnId) => compareValues(a.getValue(columnId), b.getValue(columnId)),
        sortUndefined: 'last',
        sortDescFirst: column.sortsDescendingFirst ?? false,
        size: column.widthPx,
        minSize: 48,
      })),
    [columns],
  );
  // The type of the table's data is mutable.
  const data = useMemo(() => [...rows], [rows]);
  const sorting = useMemo(
    () => (sort === null ? [] : [{ id: sort.columnId, desc: sort.descending }]),
    [sort],
  );

  return useTable({
    features,
    data,
    columns: definitions,
    state: { sorting },
    getRowId: rowId,
    manualSorting: options.isSorted === true,
    onSortingChange: (update) => {
      const [first] = typeof update === 'function' ? update(sorting) : update;
      const next = first === undefined ? null : { columnId: first.id, descending: first.desc };
      setOwnSort(next);
      onSortChange?.(next);
    },
  });
}
