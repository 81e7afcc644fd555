import type { Metadata } from 'next';
import { getRuntime } from '@/server';
import { Prefetched } from '../../../../_components/shell/prefetched';
import { queryKeys } from '../../../../_hooks/query-keys';
import { ImportPage } from './client';

export const metadata: Metadata = { title: 'Import' };
export const dynamic = 'force-dynamic';

interface PageProps {
  readonly params: Promise<{ readonly importId: string }>;
}

export default async function Page({ params }: PageProps) {
  const { importId } = await params;
  return (
    <Prefetched data={[[queryKeys.imports, getRuntime().api.listImports()]]}>
      <ImportPage importId={importId} />
    </Prefetched>
  );
}
