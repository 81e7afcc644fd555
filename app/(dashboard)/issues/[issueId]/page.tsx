import type { Metadata } from 'next';
import { prefetchAnswer } from '../../../_ask/prefetch-answer';
import { Prefetched } from '../../../_components/shell/prefetched';
import { IssuePage } from './client';

export const metadata: Metadata = { title: 'Issue' };
export const dynamic = 'force-dynamic';

interface PageProps {
  readonly params: Promise<{ readonly issueId: string }>;
}

export default async function Page({ params }: PageProps) {
  const { issueId } = await params;
  return (
    <Prefetched data={[await prefetchAnswer('issues/{issueId}', { issueId })]}>
      <IssuePage issueId={issueId} />
    </Prefetched>
  );
}
