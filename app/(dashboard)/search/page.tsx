import type { Metadata } from 'next';
import { createLoader, type SearchParams } from 'nuqs/server';
import { prefetchAnswer } from '@/app/_ask/prefetch-answer';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { holdersQuestion, searchSearchParams } from '@/app/_views/search/search-params';
import { parseResourceRef } from '@/lib/views/resources/resource-ref';
import { SearchPage } from './client';

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
  const question = holdersQuestion(key, filter, Math.max(0, from));
  return (
    <Prefetched data={[await prefetchAnswer('holders', question)]}>
      <SearchPage />
    </Prefetched>
  );
}
