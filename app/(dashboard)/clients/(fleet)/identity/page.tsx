import type { Metadata } from 'next';
import type { SearchParams } from 'nuqs/server';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { identityPerPage, queryKeys } from '@/app/_hooks/query-keys';
import { getRuntime } from '@/server';
import { IdentityPage } from './client';

export const metadata: Metadata = { title: 'Certificates' };
export const dynamic = 'force-dynamic';

interface PageProps {
  readonly searchParams: Promise<SearchParams>;
}

const first = { kind: 'duplicate', q: '', offset: 0 } as const;

export default async function Page({ searchParams }: PageProps) {
  if (Object.keys(await searchParams).length > 0) return <IdentityPage />;
  const identity = await getRuntime().api.ask(
    'identity',
    { ...first, limit: identityPerPage },
    { params: {} },
  );
  return (
    <Prefetched data={[[queryKeys.identity(first), identity]]}>
      <IdentityPage />
    </Prefetched>
  );
}
