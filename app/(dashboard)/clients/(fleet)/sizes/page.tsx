import type { Metadata } from 'next';
import { createLoader, type SearchParams } from 'nuqs/server';
import { prefetchAnswer } from '@/app/_ask/prefetch-answer';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { sizesQuestion, sizesSearchParams, sizesUrlKeys } from '@/app/_views/fleet/search-params';
import { SizesPage } from './client';

export const metadata: Metadata = { title: 'Sizes' };
export const dynamic = 'force-dynamic';

interface PageProps {
  readonly searchParams: Promise<SearchParams>;
}

const load = createLoader(sizesSearchParams, { urlKeys: sizesUrlKeys });

export default async function Page({ searchParams }: PageProps) {
  const place = await load(searchParams);
  const { client, group, filter } = place;
  // The browser asks about one client, and reports a group or a filter that the API does not know.
  if (client !== '' || group !== sizesSearchParams.group.defaultValue || filter !== '') return <SizesPage />;
  return (
    <Prefetched data={[await prefetchAnswer('sizes', sizesQuestion(place))]}>
      <SizesPage />
    </Prefetched>
  );
}
