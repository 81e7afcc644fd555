import type { Metadata } from 'next';
import { prefetchAnswer } from '../../_ask/prefetch-answer';
import { Prefetched } from '../../_components/shell/prefetched';
import { SourcesPage } from './client';

export const metadata: Metadata = { title: 'Sources - Settings' };
export const dynamic = 'force-dynamic';

export default async function Page() {
  const data = await Promise.all([prefetchAnswer('sources', {}), prefetchAnswer('health', {})]);
  return (
    <Prefetched data={data}>
      <SourcesPage />
    </Prefetched>
  );
}
