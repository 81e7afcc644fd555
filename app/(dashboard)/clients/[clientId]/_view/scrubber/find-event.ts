import { requestJson } from '@/app/_hooks/api-client';
import type { HistoryEvent, HistoryKind, HistoryPage } from '@/lib/api/history';
import { formatHistoryCursor } from '@/lib/api/history-cursor';
import { travelKinds } from './travel-kinds';

export type Direction = 'older' | 'newer';

interface Search {
  readonly clientId: string;
  readonly direction: Direction;
  /** Exclusive; null: from the newest event on. */
  readonly from: number | null;
}

const refusals: readonly HistoryKind[] = ['nack-sent', 'client-config-changed'];
const pageSize = 200;
const mostPages = 20;

/** The next event of the client in a direction; undefined: there is none. */
export async function findEvent({ clientId, direction, from }: Search): Promise<HistoryEvent | undefined> {
  const page = await readPage({ clientId, direction, from }, travelKinds, 1);
  return page.items[0];
}

/** The next refusal: a NACK on a stream, or a report that names an error. `isCut`: of so many events none is one. */
export async function findNack(
  search: Search,
): Promise<{ readonly event: HistoryEvent | undefined; readonly isCut: boolean }> {
  let { from } = search;
  for (let page = 0; page < mostPages; page++) {
    const { items, older, newer } = await readPage({ ...search, from }, refusals, pageSize);
    // Newest first, whichever way it was read.
    const ordered = search.direction === 'older' ? items : items.toReversed();
    const event = ordered.find(({ kind, errorText }) => kind === 'nack-sent' || errorText !== null);
    if (event !== undefined) return { event, isCut: false };
    const last = ordered.at(-1);
    if (last === undefined || (search.direction === 'older' ? older : newer) === null) {
      return { event: undefined, isCut: false };
    }
    from = last.seq;
  }
  return { event: undefined, isCut: true };
}

function readPage(
  { clientId, direction, from }: Search,
  kinds: readonly HistoryKind[],
  limit: number,
): Promise<HistoryPage> {
  const search = new URLSearchParams(kinds.map((kind) => ['kind', kind]));
  search.set('client', clientId);
  search.set('limit', String(limit));
  if (from !== null) search.set('cursor', formatHistoryCursor(direction, from));
  return requestJson<HistoryPage>(`history?${search}`);
}
