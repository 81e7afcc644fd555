import { notFound } from 'next/navigation';
import { createLoader, type SearchParams } from 'nuqs/server';
import { answerKey } from '@/app/_ask/client-question';
import { Prefetched } from '@/app/_components/shell/prefetched';
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
  const subject = { clientId };
  const graphQuery = graphParamsOf(query);
  // Data of an earlier time is loaded by the browser.
  const graph = query.at === '' ? await getRuntime().api.askClient('graph', subject, graphQuery) : undefined;
  if (graph === undefined && !(await isKnownClient(clientId))) notFound();
  return (
    <Prefetched data={[[answerKey(subject, 'graph', graphQuery), graph]]}>
      <GraphTab />
    </Prefetched>
  );
}
