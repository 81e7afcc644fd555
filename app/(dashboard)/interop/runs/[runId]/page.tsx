import type { Metadata } from 'next';
import { prefetchAnswer } from '../../../../_ask/prefetch-answer';
import { Prefetched } from '../../../../_components/shell/prefetched';
import { RunPage } from './client';

export const metadata: Metadata = { title: 'Run - Interop' };
export const dynamic = 'force-dynamic';

interface PageProps {
  readonly params: Promise<{ readonly runId: string }>;
}

export default async function Page({ params }: PageProps) {
  const runId = decodeURIComponent((await params).runId);
  return (
    <Prefetched data={[await prefetchAnswer('interop/runs/{id}', { id: runId })]}>
      <RunPage runId={runId} />
    </Prefetched>
  );
}
