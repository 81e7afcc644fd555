import type { Metadata } from 'next';
import { getRuntime } from '@/server';
import { Prefetched } from '../../_components/shell/prefetched';
import { queryKeys } from '../../_hooks/query-keys';
import { SourcesPage } from './client';

export const metadata: Metadata = { title: 'Sources' };
export const dynamic = 'force-dynamic';

export default function Page() {
  const { api } = getRuntime();
  return (
    <Prefetched
      data={[
        [queryKeys.sources, api.listSources()],
        [queryKeys.health, api.health()],
      ]}
    >
      <SourcesPage />
    </Prefetched>
  );
}
