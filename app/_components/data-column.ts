import type { ReactNode } from 'react';

/** One column of a DataTable. Build columns once (module level or useMemo): rows are memoised on their identity. */
export interface DataColumn<Row> {
  readonly id: string;
  readonly header: ReactNode;
  /** What the column means, on hover. */
  readonly description?: string;
  readonly cell: (row: Row) => ReactNode;
  /** Makes the column sortable. null sorts last, in both directions: unknown is neither small nor big. */
  readonly sortValue?: (row: Row) => string | number | null;
  /** The first click sorts from the biggest down (counts, ages). */
  readonly sortsDescendingFirst?: boolean;
  readonly align?: 'left' | 'right';
  readonly widthPx: number;
  /** Takes its share of the room that is left. */
  readonly grows?: boolean;
}

export interface DataSort {
  readonly columnId: string;
  readonly descending: boolean;
}
