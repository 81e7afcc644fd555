import type { Metadata } from 'next';
import { getRuntime } from '@/server';
import { Prefetched } from '../../_components/shell/prefetched';
import { queryKeys } from '../../_hooks/query-keys';
import { LabPage } from './client';

export const metadata: Metadata = { title: 'Lab - Settings' };
export const dynamic = 'force-dynamic';

export default async function Page() {
  const lab = await getRuntime().api.ask('lab', {}, { params: {} });
  return (
    <Prefetched data={[[queryKeys.lab, lab]]}>
      <LabPage />
    </Prefetched>
  );
}
