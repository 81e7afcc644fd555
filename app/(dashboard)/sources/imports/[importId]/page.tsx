import type { Metadata } from 'next';
import { prefetchAnswer } from '../../../../_ask/prefetch-answer';
import { Prefetched } from '../../../../_components/shell/prefetched';
import { ImportPage } from './client';

export const metadata: Metadata = { title: 'Import' };
export const dynamic = 'force-dynamic';

interface PageProps {
  readonly params: Promise<{ readonly importId: string }>;
}

export default async function Page({ params }: PageProps) {
  const { importId } = await params;
  return (
    <Prefetched data={[await prefetchAnswer('imports', {})]}>
      <ImportPage importId={importId} />
    </Prefetched>
  );
}
