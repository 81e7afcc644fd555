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
  const files = await getRuntime().api.ask('imports', {}, { params: {} });
  return (
    <Prefetched data={[[queryKeys.imports, files.items]]}>
      <ImportPage importId={importId} />
    </Prefetched>
  );
}
