import type { Metadata } from 'next';
import { prefetchAnswer } from '../../../_ask/prefetch-answer';
import { Prefetched } from '../../../_components/shell/prefetched';
import { ServersPage } from './client';

export const metadata: Metadata = { title: 'Servers - Interop' };
export const dynamic = 'force-dynamic';

export default async function Page() {
  return (
    <Prefetched data={[await prefetchAnswer('interop/server-checks', {})]}>
      <ServersPage />
    </Prefetched>
  );
}
