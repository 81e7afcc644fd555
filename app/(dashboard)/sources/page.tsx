import type { Metadata } from 'next';
import { getRuntime } from '@/server';
import { Prefetched } from '../../_components/shell/prefetched';
import { queryKeys } from '../../_hooks/query-keys';
import { SourcesPage } from './client';

export const metadata: Metadata = { title: 'Sources - Settings' };
export const dynamic = 'force-dynamic';

export default async function Page() {
  const { api } = getRuntime();
  const health = await api.ask('health', {}, { params: {} });
  const sources = await api.ask('sources', {}, { params: {} });
  return (
    <Prefetched
      data={[
        [queryKeys.sources, sources.items],
        [queryKeys.health, health],
      ]}
    >
      <SourcesPage />
    </Prefetched>
  );
}
