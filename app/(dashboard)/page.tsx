import type { Metadata } from 'next';
import { getRuntime } from '@/server';
import { prefetchLimit } from '../_components/shell/prefetch-limit';
import { Prefetched } from '../_components/shell/prefetched';
import { eventLimit } from '../_hooks/event-limit';
import { queryKeys } from '../_hooks/query-keys';
import { OverviewPage } from './_overview/overview-page';

export const metadata: Metadata = { title: 'Overview' };
export const dynamic = 'force-dynamic';

export default async function Page() {
  const { api } = getRuntime();
  const clients = await api.listClients();
  return (
    <Prefetched
      data={[
        [queryKeys.health, api.health()],
        [queryKeys.sources, api.listSources()],
        [queryKeys.clients, clients.length <= prefetchLimit ? clients : undefined],
        [queryKeys.events, api.listEvents({ limit: eventLimit })],
      ]}
    >
      <OverviewPage />
    </Prefetched>
  );
}
