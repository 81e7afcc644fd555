import type { HistoryEvent, HistoryPage } from '@/lib/views/history/schema';
import { getJson } from '../e2e-server';

/** All events of a server's log, oldest first. `filter` is a query such as "clients=a&kinds=ack-sent". */
export async function wholeHistory(url: string, filter = ''): Promise<HistoryEvent[]> {
  const events: HistoryEvent[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const at = cursor === '' ? '' : `&cursor=${cursor}`;
    const page: HistoryPage = await getJson(`${url}/api/v1/history?limit=200&${filter}${at}`);
    events.push(...page.items);
    cursor = page.older;
  }
  return events.reverse();
}
