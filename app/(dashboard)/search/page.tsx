import type { Metadata } from 'next';
import { createLoader, type SearchParams } from 'nuqs/server';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { holdersKey, holdersPerPage } from '@/app/_hooks/search-keys';
import { parseResourceRef } from '@/lib/view-model/client-resources/resource-ref';
import { getRuntime } from '@/server';
import { SearchPage } from './client';
import { searchSearchParams } from './search-params';

export const dynamic = 'force-dynamic';

interface PageProps {
  readonly searchParams: Promise<SearchParams>;
}

const load = createLoader(searchSearchParams);

export async function generateMetadata({ searchParams }: PageProps): Promise<Metadata> {
  const { resource, q } = await load(searchParams);
  const name = parseResourceRef(resource)?.name ?? q;
  return { title: name === '' ? 'Search' : `${name} - Search` };
}

export default async function Page({ searchParams }: PageProps) {
  const { resource, filter, from } = await load(searchParams);
  const key = parseResourceRef(resource);
  if (key === undefined) return <SearchPage />;
  const params = { ...key, q: filter, offset: Math.max(0, from) };
  const { typeUrl: type, name } = key;
  const answer = await getRuntime().api.ask(
    'holders',
    { type, name, q: filter, offset: params.offset, limit: holdersPerPage },
    { params: {} },
  );
  return (
    <Prefetched data={[[holdersKey(params), answer]]}>
      <SearchPage />
    </Prefetched>
  );
}
