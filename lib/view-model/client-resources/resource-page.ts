import type { ResourcePage } from '../../api/resource-pages';
import type { ClientState } from '../../observation/client-state';
import type { Steps } from '../../steps/steps';
import { buildResourceRows } from '../client/build-resource-rows';
import type { FreshnessOf } from '../client/choose-report';
import { buildResourceView, type ResourceView } from './build-resource-view';
import { formatRow } from './format-row';
import { formatResourceCursor, type ResourceCursor } from './resource-cursor';
import { comparePlaces, placeOf } from './resource-order';
import type { ResourceQuestion, ResourceSort } from './resource-question';

export interface PageRange {
  /** undefined: from the beginning. */
  readonly after: ResourceCursor | undefined;
  readonly limit: number;
}

/** The rows of a client in any state, now or folded up to a moment in the past, that answer a question: one page. */
export function* findResourcePage(
  client: ClientState,
  freshnessOf: FreshnessOf,
  question: ResourceQuestion,
  range: PageRange,
): Steps<ResourcePage> {
  const rows = yield* buildResourceRows(client, freshnessOf);
  return pageOfView(yield* buildResourceView(rows, question), question.sort, range);
}

/** `sort` is the view's. */
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
    items: items.map(formatRow),
    nextCursor: isLast ? null : formatResourceCursor(placeOf(last, sort), next, sort),
    ...counts,
  };
}

/** Index of the first row behind the cursor. */
function findFrom(rows: ResourceView['rows'], sort: ResourceSort | null, after: ResourceCursor): number {
  if (after.kind === 'offset') return after.offset;
  const compare = comparePlaces(sort);
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle];
    if (row !== undefined && compare(placeOf(row, sort), after.place) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
