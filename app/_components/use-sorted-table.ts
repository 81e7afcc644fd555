'use client';

import {
  type ColumnDef,
  type ColumnSizingState,
  getCoreRowModel,
  getSortedRowModel,
  type Table,
  useReactTable,
} from '@tanstack/react-table';
import { useMemo, useState } from 'react';
import type { DataColumn, DataSort } from './data-column';

const collator = new Intl.Collator('en', { numeric: true });

/** Numbers by size, text as people count ("shop-2" before "shop-10"). */
function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return collator.compare(String(a), String(b));
}

interface SortedTableOptions<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly DataColumn<Row>[];
  readonly rowId: (row: Row) => string;
  readonly sort: DataSort | null;
  readonly onSortChange?: (sort: DataSort | null) => void;
  readonly isSorted?: boolean;
}

/** Sorted rows and column widths; where no one owns the sort order outside, it lives here. */
export function useSortedTable<Row>(options: SortedTableOptions<Row>): Table<Row> {
  const { rows, columns, rowId, onSortChange } = options;
  const [ownSort, setOwnSort] = useState(options.sort);
  const [columnSizing, setColumnSizing] = useState<ColumnSizingState>({});
  const sort = onSortChange === undefined ? ownSort : options.sort;

  const definitions = useMemo<ColumnDef<Row>[]>(
    () =>
      columns.map((column) => ({
        id: column.id,
        accessorFn: (row) => column.sortValue?.(row) ?? undefined,
        enableSorting: column.sortValue !== undefined,
        sortingFn: (a, b, columnId) => compareValues(a.getValue(columnId), b.getValue(columnId)),
        sortUndefined: 'last',
        sortDescFirst: column.sortsDescendingFirst ?? false,
        size: column.widthPx,
        minSize: 48,
      })),
    [columns],
  );
  // The table never writes to its data; its type does not say so.
  const data = useMemo(() => [...rows], [rows]);
  const sorting = useMemo(
    () => (sort === null ? [] : [{ id: sort.columnId, desc: sort.descending }]),
    [sort],
  );

  return useReactTable<Row>({
    data,
    columns: definitions,
    state: { sorting, columnSizing },
    getRowId: rowId,
    manualSorting: options.isSorted === true,
    onColumnSizingChange: setColumnSizing,
    onSortingChange: (update) => {
      const [first] = typeof update === 'function' ? update(sorting) : update;
      const next = first === undefined ? null : { columnId: first.id, descending: first.desc };
      setOwnSort(next);
      onSortChange?.(next);
    },
    getCoreRowModel: getCoreRowModel(),
    getSortedRowModel: getSortedRowModel(),
  });
}
