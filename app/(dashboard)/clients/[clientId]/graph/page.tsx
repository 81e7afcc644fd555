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
  const { resolve, expand = [], ...drawn } = graphParams;
  const asked = { ...drawn, expand: [...expand], ...marksOf(resolve) };
  // Of the past the page asks by itself.
  const graph = query.at === '' ? await getRuntime().api.askClient('graph', { clientId }, asked) : undefined;
  if (graph === undefined && !(await isKnownClient(clientId))) notFound();
  return (
    <Prefetched data={[[queryKeys.clientGraph(clientId, graphParams), graph]]}>
      <GraphTab />
    </Prefetched>
  );
}

/** An empty profile is left out of the query. */
function marksOf(resolve: GraphParams['resolve']) {
  if (resolve === undefined) return {};
  const { listener = '', profile, errors } = resolve;
  return { resolve: listener, ...(profile && { profile }), ...(errors && { errors }) };
}
