import type { ReactNode } from 'react';

/** A column of a DataTable. Columns must keep their identity, because rows are memoised on it. */
export interface DataColumn<Row> {
  readonly id: string;
  readonly header: ReactNode;
  readonly description?: string;
  readonly cell: (row: Row) => ReactNode;
  /** The name in the cell, if there is one. Where the column is narrow, what all names have in common is cut first. */
  readonly nameOf?: (row: Row) => string | undefined;
  /** Makes the column sortable; null sorts last in both directions. */
  readonly sortValue?: (row: Row) => string | number | null;
  /** The first click sorts in descending order. */
  readonly sortsDescendingFirst?: boolean;
  readonly align?: 'left' | 'right';
  readonly widthPx: number;
  /** Takes a share of the remaining width. */
  readonly grows?: boolean;
}

export interface DataSort {
  readonly columnId: string;
  readonly descending: boolean;
}

/** "size", or "-size" for descending; empty: none. */
export function parseSort(text: string): DataSort | null {
  return text === '' ? null : { columnId: text.replace(/^-/, ''), descending: text.startsWith('-') };
}

export function formatSort(sort: DataSort | null): string {
  return sort === null ? '' : `${sort.descending ? '-' : ''}${sort.columnId}`;
}
