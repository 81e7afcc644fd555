import type { Metadata } from 'next';
import type { SearchParams } from 'nuqs/server';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { prefetchHistory } from '@/app/_views/history/prefetch-history';
import { HistoryPage } from './client';

export const metadata: Metadata = { title: 'History' };
export const dynamic = 'force-dynamic';

interface PageProps {
  readonly searchParams: Promise<SearchParams>;
}

export default async function Page({ searchParams }: PageProps) {
  const isFiltered = Object.keys(await searchParams).length > 0;
  return (
    <Prefetched data={isFiltered ? [] : await prefetchHistory(null)}>
      <HistoryPage />
    </Prefetched>
  );
}
