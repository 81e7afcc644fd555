import { useMemo } from 'react';
import { type CommonParts, findCommonParts } from '@/lib/format/names/common-parts';
import type { DataColumn } from './data-column';

type Entries = readonly (readonly [columnId: string, parts: CommonParts])[];

/** What the names of each column have in common. The map keeps its identity while nothing changes, as rows are memoised. */
export function useCommonParts<Row>(
  columns: readonly DataColumn<Row>[],
  rows: readonly Row[],
): ReadonlyMap<string, CommonParts> {
  const text = useMemo(() => {
    const entries: Entries = columns.flatMap(({ id, nameOf }) =>
      nameOf === undefined ? [] : [[id, findCommonParts(rows.flatMap((row) => nameOf(row) ?? []))] as const],
    );
    return JSON.stringify(entries);
  }, [columns, rows]);
  return useMemo(() => new Map(JSON.parse(text) as Entries), [text]);
}
