import type { Metadata } from 'next';
import { getRuntime } from '@/server';
import { prefetchLimit } from '../../../_components/shell/prefetch-limit';
import { Prefetched } from '../../../_components/shell/prefetched';
import { queryKeys } from '../../../_hooks/query-keys';
import { ClientsPage } from './client';

export const metadata: Metadata = { title: 'Clients' };
export const dynamic = 'force-dynamic';

export default async function Page() {
  const clients = await getRuntime().api.listClients();
  return (
    <Prefetched data={[[queryKeys.clients, clients.length <= prefetchLimit ? clients : undefined]]}>
      <ClientsPage />
    </Prefetched>
  );
}
