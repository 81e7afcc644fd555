import type { Metadata } from 'next';
import type { SearchParams } from 'nuqs/server';
import { prefetchAnswer } from '@/app/_ask/prefetch-answer';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { identityQuestion } from '@/app/_views/fleet/search-params';
import { IdentityPage } from './client';

export const metadata: Metadata = { title: 'Certificates' };
export const dynamic = 'force-dynamic';

interface PageProps {
  readonly searchParams: Promise<SearchParams>;
}

export default async function Page({ searchParams }: PageProps) {
  if (Object.keys(await searchParams).length > 0) return <IdentityPage />;
  return (
    <Prefetched data={[await prefetchAnswer('identity', identityQuestion('duplicate', '', 0))]}>
      <IdentityPage />
    </Prefetched>
  );
}
