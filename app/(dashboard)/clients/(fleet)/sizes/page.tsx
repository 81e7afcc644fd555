import type { Metadata } from 'next';
import { createLoader, type SearchParams } from 'nuqs/server';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { queryKeys } from '@/app/_hooks/query-keys';
import { getRuntime } from '@/server';
import { sizesSearchParams, sizesUrlKeys } from '../search-params';
import { SizesPage } from './client';

export const metadata: Metadata = { title: 'Sizes' };
export const dynamic = 'force-dynamic';

interface PageProps {
  readonly searchParams: Promise<SearchParams>;
}

const load = createLoader(sizesSearchParams, { urlKeys: sizesUrlKeys });

export default async function Page({ searchParams }: PageProps) {
  const place = await load(searchParams);
  const { client, group, sort, filter } = place;
  // The browser asks about one client, and reports a group or a filter that the API does not know.
  if (client !== '' || group !== sizesSearchParams.group.defaultValue || filter !== '') return <SizesPage />;
  const sizes = await getRuntime().api.ask('sizes', { group, sort }, { params: {} });
  return (
    <Prefetched data={[[queryKeys.sizes(place), sizes]]}>
      <SizesPage />
    </Prefetched>
  );
}
