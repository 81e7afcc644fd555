import type { Metadata } from 'next';
import { getRuntime } from '@/server';
import { Prefetched } from '../../_components/shell/prefetched';
import { queryKeys } from '../../_hooks/query-keys';
import { LoadPage } from './client';

export const metadata: Metadata = { title: 'Load' };
export const dynamic = 'force-dynamic';

export default function Page() {
  return (
    <Prefetched data={[[queryKeys.load, getRuntime().api.listLoad()]]}>
      <LoadPage />
    </Prefetched>
  );
}
