import type { Metadata } from 'next';
import { prefetchAnswer } from '../../../_ask/prefetch-answer';
import { Prefetched } from '../../../_components/shell/prefetched';
import { RunsPage } from './client';

export const metadata: Metadata = { title: 'Runs - Interop' };
export const dynamic = 'force-dynamic';

export default async function Page() {
  return (
    <Prefetched data={[await prefetchAnswer('interop/runs', {})]}>
      <RunsPage />
    </Prefetched>
  );
}
