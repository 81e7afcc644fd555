import { notFound } from 'next/navigation';
import { createLoader, type SearchParams } from 'nuqs/server';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { type GraphParams, queryKeys } from '@/app/_hooks/query-keys';
import { getRuntime } from '@/server/index';
import { GraphTab } from '../_view/graph-tab';
import { isKnownClient } from '../is-known-client';
import { clientViewParsers, graphParamsOf } from '../search-params';

interface GraphPageProps {
  readonly params: Promise<{ readonly clientId: string }>;
  readonly searchParams: Promise<SearchParams>;
}

const loadQuery = createLoader(clientViewParsers({}));

export default async function GraphPage({ params, searchParams }: GraphPageProps) {
  const { clientId } = await params;
  const query = await loadQuery(searchParams);
  const graphParams = graphParamsOf(query);
  const asked = { ...graphParams, resolve: askedOf(graphParams) };
  // Of the past the page asks by itself.
  const graph = query.at === '' ? await getRuntime().api.getGraph(clientId, asked) : undefined;
  if (graph === undefined && !(await isKnownClient(clientId))) notFound();
  return (
    <Prefetched data={[[queryKeys.clientGraph(clientId, graphParams), graph]]}>
      <GraphTab />
    </Prefetched>
  );
}

/** As the URL of the API would say it: an empty profile is not said. */
function askedOf({ resolve }: GraphParams): GraphParams['resolve'] {
  return resolve === undefined ? undefined : { ...resolve, profile: resolve.profile || undefined };
}
