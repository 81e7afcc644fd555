import { requestJson } from '@/app/_hooks/api-client';
import { formatHistoryCursor } from '@/lib/views/history/history-cursor';
import type { HistoryEvent, HistoryPage } from '@/lib/views/history/schema';
import { travelKinds } from './travel-kinds';

export type Direction = 'older' | 'newer';

interface Search {
  readonly clientId: string;
  readonly direction: Direction;
  /** Exclusive; null: from the newest event. */
  readonly from: number | null;
}

/** The next event of the client in a direction; undefined: none. */
export function findEvent(search: Search): Promise<HistoryEvent | undefined> {
  return readNext(
    search,
    travelKinds.map((kind) => ['kind', kind]),
  );
}

/** The next NACK: a NACK on a stream, or a report with an error. */
export function findNack(search: Search): Promise<HistoryEvent | undefined> {
  return readNext(search, [['rejected', 'true']]);
}

async function readNext(
  { clientId, direction, from }: Search,
  wanted: readonly (readonly [name: string, value: string])[],
): Promise<HistoryEvent | undefined> {
  const search = new URLSearchParams(wanted.map(([name, value]) => [name, value]));
  search.set('client', clientId);
  search.set('limit', '1');
  if (from !== null) search.set('cursor', formatHistoryCursor(direction, from));
  return (await requestJson<HistoryPage>(`history?${search}`)).items[0];
}
