import type { Metadata } from 'next';
import { getRuntime } from '@/server';
import { Prefetched } from '../../../_components/shell/prefetched';
import { undefinedIfMissing } from '../../../_components/shell/undefined-if-missing';
import { queryKeys } from '../../../_hooks/query-keys';
import { NackGroupPage } from './client';

export const metadata: Metadata = { title: 'NACK' };
export const dynamic = 'force-dynamic';

interface PageProps {
  readonly params: Promise<{ readonly groupId: string }>;
}

export default async function Page({ params }: PageProps) {
  const { groupId } = await params;
  const asked = getRuntime().api.ask('nacks/{groupId}', {}, { params: { groupId } });
  return (
    <Prefetched data={[[queryKeys.nackDetail(groupId), await undefinedIfMissing(asked)]]}>
      <NackGroupPage groupId={groupId} />
    </Prefetched>
  );
}
