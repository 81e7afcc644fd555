import type { Metadata } from 'next';
import { getRuntime } from '@/server';
import { Prefetched } from '../../_components/shell/prefetched';
import { nackLimit, queryKeys } from '../../_hooks/query-keys';
import { NacksPage } from './client';

export const metadata: Metadata = { title: 'NACKs' };
export const dynamic = 'force-dynamic';

export default async function Page() {
  const everything = { client: '', type: '', resource: '', text: '', state: '' };
  const page = await getRuntime().api.ask('nacks', { limit: nackLimit }, { params: {} });
  return (
    <Prefetched data={[[queryKeys.nackPage(everything, nackLimit), page]]}>
      <NacksPage />
    </Prefetched>
  );
}
