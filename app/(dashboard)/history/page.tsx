import type { Metadata } from 'next';
import type { SearchParams } from 'nuqs/server';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { historyPageSize } from '@/app/_hooks/history-queries';
import { queryKeys } from '@/app/_hooks/query-keys';
import { everything, writeTimeRange } from '@/lib/time/time-range';
import { getRuntime } from '@/server';
import { HistoryPage } from './client';
import { emptyHistoryFilter, historyParamsOf, kindsWithoutLoad } from './search-params';

export const metadata: Metadata = { title: 'History' };
export const dynamic = 'force-dynamic';

interface PageProps {
  readonly searchParams: Promise<SearchParams>;
}

export default async function Page({ searchParams }: PageProps) {
  // The browser asks with a filter or a time range, which depend on its time zone.
  if (Object.keys(await searchParams).length > 0) return <HistoryPage />;
  const params = historyParamsOf({ ...emptyHistoryFilter, lrs: false }, '', writeTimeRange(everything), null);
  const newest = await getRuntime().api.ask(
    'history',
    { kind: [...kindsWithoutLoad], limit: historyPageSize },
    { params: {} },
  );
  return (
    <Prefetched data={[[queryKeys.historyPages(params, null), { pages: [newest], pageParams: [null] }]]}>
      <HistoryPage />
    </Prefetched>
  );
}
