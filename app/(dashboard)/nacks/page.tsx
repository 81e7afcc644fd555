import type { Metadata } from 'next';
import { everything, writeTimeRange } from '@/lib/time/time-range';
import { prefetchAnswer } from '../../_ask/prefetch-answer';
import { Prefetched } from '../../_components/shell/prefetched';
import { NacksPage } from './client';
import { nackLimit, toNackParams } from './search-params';

export const metadata: Metadata = { title: 'NACKs' };
export const dynamic = 'force-dynamic';

export default async function Page() {
  const noFilter = { client: '', type: '', resource: '', q: '' };
  const params = toNackParams({ ...noFilter, state: 'all', terminated: 'show' }, writeTimeRange(everything));
  return (
    <Prefetched data={[await prefetchAnswer('nacks', { ...params, limit: nackLimit })]}>
      <NacksPage />
    </Prefetched>
  );
}
