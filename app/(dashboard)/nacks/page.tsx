import type { Metadata } from 'next';
import { nackLimit, toNackParams } from '@/app/_views/nacks/search-params';
import { everything, writeTimeRange } from '@/lib/time/time-range';
import { prefetchAnswer } from '../../_ask/prefetch-answer';
import { Prefetched } from '../../_components/shell/prefetched';
import { NacksPage } from './client';

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
