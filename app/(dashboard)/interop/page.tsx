import type { Metadata } from 'next';
import { prefetchAnswer } from '../../_ask/prefetch-answer';
import { Prefetched } from '../../_components/shell/prefetched';
import { MatrixPage } from './client';

export const metadata: Metadata = { title: 'Matrix - Interop' };
export const dynamic = 'force-dynamic';

export default async function Page() {
  return (
    <Prefetched
      data={[await prefetchAnswer('interop/matrix', {}), await prefetchAnswer('interop/fleet', {})]}
    >
      <MatrixPage />
    </Prefetched>
  );
}
