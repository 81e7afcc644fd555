import type { Metadata } from 'next';
import { createLoader, type SearchParams } from 'nuqs/server';
import { prefetchAnswer } from '@/app/_ask/prefetch-answer';
import { Prefetched } from '@/app/_components/shell/prefetched';
import {
  fleetLinesQuestion,
  fleetQuestionOf,
  fleetSearchParams,
  fleetUrlKeys,
} from '@/app/_views/fleet/search-params';
import { ClientsPage } from './client';

export const metadata: Metadata = { title: 'Clients' };
export const dynamic = 'force-dynamic';

interface PageProps {
  readonly searchParams: Promise<SearchParams>;
}

const load = createLoader(fleetSearchParams, { urlKeys: fleetUrlKeys });

export default async function Page({ searchParams }: PageProps) {
  const params = await load(searchParams);
  // The page itself reports a filter or a column that the API does not know.
  if (params.filter !== '' || params.sort !== fleetSearchParams.sort.defaultValue || params.group !== '')
    return <ClientsPage />;
  const question = fleetQuestionOf(params, params.filter);
  return (
    <Prefetched data={[await prefetchAnswer('fleet', fleetLinesQuestion(question, 0))]}>
      <ClientsPage />
    </Prefetched>
  );
}
