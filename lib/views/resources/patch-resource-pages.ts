import { resourceKey } from '../../observation/client-state';
import type { ResourceKey } from '../../observation/resource-state';
import { parseResourceCursor } from './resource-cursor';
import { buildRowTests } from './resource-filter';
import { comparePlaces, placeOf, type RowPlace } from './resource-order';
import type { ResourceQuestion, ResourceSort } from './resource-question';
import type { ResourceRowJson } from './row-schema';
import type { ResourcePage } from './schema';

interface RowChanges {
  readonly changed: readonly ResourceRowJson[];
  readonly removed: readonly ResourceKey[];
}

interface PlacedRow {
  readonly row: ResourceRowJson;
  readonly place: RowPlace;
}

/**
 * Updates loaded pages to the server's pages after a change, except for their counts. Rows after the last page are left out.
 * Unchanged pages remain the same objects.
 */
export function patchResourcePages<Page extends ResourcePage>(
  pages: readonly Page[],
  { changed, removed }: RowChanges,
  question: ResourceQuestion,
): Page[] {
  const keys = new Set([...changed, ...removed].map(resourceKey));
  const { passes } = buildRowTests(question);
  const compare = comparePlaces(question.sort);
  const place = (row: ResourceRowJson): PlacedRow => ({ row, place: placeOf(row, question.sort) });
  const byPlace = (a: PlacedRow, b: PlacedRow) => compare(a.place, b.place);
  const coming = changed.filter(passes).map(place).sort(byPlace);
  let taken = 0;
  return pages.map((page) => {
    const end = endOf(page, question.sort);
    const from = taken;
    for (; taken < coming.length; taken++) {
      const next = coming[taken];
      if (next === undefined || (end !== null && compare(next.place, end) > 0)) break;
    }
    const arriving = coming.slice(from, taken);
    const stays = page.items.filter((row) => !keys.has(resourceKey(row)));
    if (arriving.length === 0 && stays.length === page.items.length) return page;
    const items = [...stays.map(place), ...arriving].sort(byPlace).map(({ row }) => row);
    return { ...page, items };
  });
}

/** The last place of a page; null if the page is unlimited. */
function endOf({ items, nextCursor }: ResourcePage, sort: ResourceSort | null): RowPlace | null {
  if (nextCursor === undefined) return null;
  const cursor = parseResourceCursor(nextCursor, sort);
  if (cursor?.kind === 'place') return cursor.place;
  const last = items.at(-1);
  return last === undefined ? null : placeOf(last, sort);
}
