import type { Metadata } from 'next';
import { everything, writeTimeRange } from '@/lib/time/time-range';
import { getRuntime } from '@/server';
import { Prefetched } from '../../_components/shell/prefetched';
import { nackLimit, queryKeys } from '../../_hooks/query-keys';
import { NacksPage } from './client';
import { toNackParams } from './search-params';

export const metadata: Metadata = { title: 'NACKs' };
export const dynamic = 'force-dynamic';

export default async function Page() {
  const noFilter = { client: '', type: '', resource: '', q: '' };
  const params = toNackParams({ ...noFilter, state: 'all', terminated: 'show' }, writeTimeRange(everything));
  const page = await getRuntime().api.ask('nacks', { limit: nackLimit }, { params: {} });
  return (
    <Prefetched data={[[queryKeys.nackPage(params, nackLimit), page]]}>
      <NacksPage />
    </Prefetched>
  );
}
