import { bisector } from 'd3';
import type { ResourceRow } from '../../observation/resource-row';
import type { ResourceView } from './build-resource-view';
import { formatResourceCursor, type ResourceCursor } from './resource-cursor';
import { comparePlaces, placeOf, type RowPlace } from './resource-order';
import type { ResourceSort } from './resource-question';
import type { ResourcePage } from './schema';

interface PageRange {
  /** undefined for the first page. */
  readonly after: ResourceCursor | undefined;
  readonly limit: number;
}

export function pageOfView(
  { rows, ...counts }: ResourceView,
  sort: ResourceSort | null,
  { after, limit }: PageRange,
): ResourcePage {
  const from = after === undefined ? 0 : findFrom(rows, sort, after);
  const items = rows.slice(from, from + limit);
  const next = from + items.length;
  const last = items.at(-1);
  const isLast = last === undefined || next >= rows.length;
  return {
    items,
    nextCursor: isLast ? undefined : formatResourceCursor(placeOf(last, sort), next, sort),
    ...counts,
  };
}

/** Returns the index of the first row after the cursor. */
function findFrom(rows: ResourceView['rows'], sort: ResourceSort | null, after: ResourceCursor): number {
  if (after.kind === 'offset') return after.offset;
  const compare = comparePlaces(sort);
  return bisector((row: ResourceRow, place: RowPlace) => compare(placeOf(row, sort), place)).right(
    rows,
    after.place,
  );
}
