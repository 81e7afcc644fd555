import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { ResourceKey } from '@/lib/observation/resource-state';

export interface ChangedRows {
  readonly changed: readonly ResourceRow[];
  readonly removed: readonly ResourceKey[];
}

/**
 * Returns the difference of two lists of rows, in which an unchanged row is the same object. The common beginning and
 * end cost one comparison per row: one change in 60,000 rows takes well below a millisecond.
 */
export function findChangedRows(before: readonly ResourceRow[], after: readonly ResourceRow[]): ChangedRows {
  const shared = Math.min(before.length, after.length);
  let start = 0;
  while (start < shared && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shared - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const old = new Set(before.slice(start, before.length - end));
  const changed: ResourceRow[] = [];
  const reported = new Set<string>();
  for (const row of after.slice(start, after.length - end)) {
    if (old.delete(row)) continue;
    changed.push(row);
    reported.add(resourceKey(row));
  }
  const removed = [...old]
    .filter((row) => !reported.has(resourceKey(row)))
    .map(({ typeUrl, name }) => ({ typeUrl, name }));
  return { changed, removed };
}
