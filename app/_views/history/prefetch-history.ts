import type { QueryKey } from '@tanstack/react-query';
import { historyPageSize, historyPagesKey } from '@/app/_ask/history';
import { everything, writeTimeRange } from '@/lib/time/time-range';
import { getRuntime } from '@/server/index';
import { emptyHistoryFilter, historyParamsOf, kindsWithoutLoad } from './search-params';

/**
 * The newest events of a client, or of all (null), for a page without a filter and without a time range: these depend on the
 * time zone of the browser, which requests them.
 */
export async function prefetchHistory(clientId: string | null): Promise<(readonly [QueryKey, unknown])[]> {
  const range = writeTimeRange(everything);
  const params = historyParamsOf({ ...emptyHistoryFilter, lrs: false }, '', range, clientId);
  const newest = await getRuntime().api.ask(
    'history',
    { kind: [...kindsWithoutLoad], limit: historyPageSize, ...(clientId !== null && { client: clientId }) },
    { params: {} },
  );
  return [[historyPagesKey(params, null), { pages: [newest], pageParams: [null] }]];
}
