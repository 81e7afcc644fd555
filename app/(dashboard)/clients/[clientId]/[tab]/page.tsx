import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { createLoader, type SearchParams } from 'nuqs/server';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { formatName } from '@/lib/format/names/format-name';
import { getRuntime } from '@/server/index';
import { prefetchHistory } from '../../../history/prefetch-history';
import { ClientTab } from '../_view/client-tab';
import { type ClientView, clientViewParsers, clientViews, isClientView } from '../client-views';
import { findNodeId } from '../find-node-id';
import { isKnownClient } from '../is-known-client';

interface ClientTabPageProps {
  readonly params: Promise<{ readonly clientId: string; readonly tab?: string }>;
  readonly searchParams: Promise<SearchParams>;
}

const loadQuery = createLoader(clientViewParsers({}));

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
  const isFiltered = Object.keys(await searchParams).length > 0;
  const query = await loadQuery(searchParams);
  const client = api.findClient(clientId);
  const view: ClientView = clientViews[tab];
  // The browser fetches the answers about the past.
  const data = client && query.at === '' ? await view.prefetch?.(api.askClient, client, query) : undefined;
  const events = tab === 'history' && !isFiltered ? await prefetchHistory(clientId) : [];
  return (
    <Prefetched data={[...(data ?? []), ...events]}>
      <ClientTab tab={tab} />
    </Prefetched>
  );
}
