import { notFound } from 'next/navigation';
import { createLoader, type SearchParams } from 'nuqs/server';
import { answerKey } from '@/app/_ask/client-question';
import { prefetchLimit } from '@/app/_components/shell/prefetch-limit';
import { Prefetched } from '@/app/_components/shell/prefetched';
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
  // Large clients and typed targets, which may be invalid, are loaded by the browser.
  const isSmall = client !== undefined && client.resources <= prefetchLimit;
  const isQuick = query.target === undefined && view.at === '' && isSmall;
  const resolved = isQuick ? await api.askClient('resolved', { clientId }, query) : undefined;
  return (
    <Prefetched data={[[answerKey({ clientId }, 'resolved', query), resolved]]}>
      <ResolvedTab />
    </Prefetched>
  );
}
