import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import type { SearchParams } from 'nuqs/server';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { commonParams, loaderOf } from '@/app/_views/client/search-params';
import { ClientTab } from '@/app/_views/client-frame/client-tab';
import { prefetchHistory } from '@/app/_views/history/prefetch-history';
import { formatName } from '@/lib/format/names/format-name';
import { clientViews, isClientView } from '@/lib/views/client/client-views';
import { getRuntime } from '@/server/index';
import { clientPrefetch } from '../client-prefetch';
import { findNodeId } from '../find-node-id';
import { isKnownClient } from '../is-known-client';

interface ClientTabPageProps {
  readonly params: Promise<{ readonly clientId: string; readonly tab?: string }>;
  readonly searchParams: Promise<SearchParams>;
}

const loadQuery = loaderOf(commonParams);

export async function generateMetadata({ params }: ClientTabPageProps): Promise<Metadata> {
  const { clientId, tab = 'graph' } = await params;
  if (!isClientView(tab)) return { title: 'View not found' };
  const nodeId = await findNodeId(clientId);
  if (nodeId === undefined) return { title: 'Client not found' };
  return { title: `${clientViews[tab].label} - ${formatName(nodeId)}` };
}

export default async function ClientTabPage({ params, searchParams }: ClientTabPageProps) {
  const { clientId, tab = 'graph' } = await params;
  if (!isClientView(tab) || !(await isKnownClient(clientId))) notFound();
  const { api } = getRuntime();
  const search = await searchParams;
  const isFiltered = Object.keys(search).length > 0;
  const isNow = loadQuery(search).at === '';
  const client = await api.findClient(clientId);
  // The browser fetches the answers about the past.
  const data = client && isNow ? await clientPrefetch[tab]?.(api.askClient, client, search) : undefined;
  const events = tab === 'history' && !isFiltered ? await prefetchHistory(clientId) : [];
  return (
    <Prefetched data={[...(data ?? []), ...events]}>
      <ClientTab tab={tab} />
    </Prefetched>
  );
}
