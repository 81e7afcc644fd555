import { notFound } from 'next/navigation';
import { createLoader, type SearchParams } from 'nuqs/server';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { queryKeys } from '@/app/_hooks/query-keys';
import { getRuntime } from '@/server/index';
import { FindingsTab } from '../_view/findings-tab';
import { clientViewParsers, findingsParamsOf } from '../search-params';

interface FindingsPageProps {
  readonly params: Promise<{ readonly clientId: string }>;
  readonly searchParams: Promise<SearchParams>;
}

const loadQuery = createLoader(clientViewParsers({}));

export default async function FindingsPage({ params, searchParams }: FindingsPageProps) {
  const { clientId } = await params;
  const { api } = getRuntime();
  if (api.findClient(clientId) === undefined) notFound();
  const query = findingsParamsOf(await loadQuery(searchParams));
  const findings = await api.getFindings(clientId, toldOf(query));
  return (
    <Prefetched data={[[[...queryKeys.clientFindings(clientId), query], findings]]}>
      <FindingsTab />
    </Prefetched>
  );
}

/** As the URL of the API would say it: what is empty is not said. */
function toldOf(query: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}
