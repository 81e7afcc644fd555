import type { Metadata } from 'next';
import { ExplainPage } from './client';

export const metadata: Metadata = { title: 'Explain' };
export const dynamic = 'force-dynamic';

export default function Page() {
  return <ExplainPage />;
}
