import type { Metadata } from 'next';
import { getRuntime } from '@/server';
import { Prefetched } from '../../../_components/shell/prefetched';
import { undefinedIfMissing } from '../../../_components/shell/undefined-if-missing';
import { queryKeys } from '../../../_hooks/query-keys';
import { IssuePage } from './client';

export const metadata: Metadata = { title: 'Issue' };
export const dynamic = 'force-dynamic';

interface PageProps {
  readonly params: Promise<{ readonly issueId: string }>;
}

export default async function Page({ params }: PageProps) {
  const { issueId } = await params;
  const asked = getRuntime().api.ask('issues/{issueId}', {}, { params: { issueId } });
  return (
    <Prefetched data={[[queryKeys.issue(issueId), await undefinedIfMissing(asked)]]}>
      <IssuePage issueId={issueId} />
    </Prefetched>
  );
}
