import { notFound } from 'next/navigation';
import { createLoader, type SearchParams } from 'nuqs/server';
import { prefetchLimit } from '@/app/_components/shell/prefetch-limit';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { queryKeys } from '@/app/_hooks/query-keys';
import { getRuntime } from '@/server/index';
import { ResolvedTab } from '../_view/resolved/resolved-tab';
import { isKnownClient } from '../is-known-client';
import { clientViewParsers, resolvedParamsOf } from '../search-params';

interface ResolvedPageProps {
  readonly params: Promise<{ readonly clientId: string }>;
  readonly searchParams: Promise<SearchParams>;
}

const loadQuery = createLoader(clientViewParsers({}));

export default async function ResolvedPage({ params, searchParams }: ResolvedPageProps) {
  const { clientId } = await params;
  const { api } = getRuntime();
  const client = api.findClient(clientId);
  if (client === undefined && !(await isKnownClient(clientId))) notFound();
  const view = await loadQuery(searchParams);
  const query = resolvedParamsOf(view);
  // A large client takes its time: the page does not wait for it. And what was typed may be no target: then the page
  // asks by itself, and says what is wrong.
  const isSmall = client !== undefined && client.resources <= prefetchLimit;
  const isQuick = query.target === undefined && view.at === '' && isSmall;
  const resolved = isQuick ? await api.askClient('resolved', { clientId }, toldOf(query)) : undefined;
  return (
    <Prefetched data={[[queryKeys.clientResolved(clientId, query), resolved]]}>
      <ResolvedTab />
    </Prefetched>
  );
}

/** As the URL of the API would say it: what is empty is not said. */
function toldOf(query: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}
