import type { Metadata } from 'next';
import { ChurnPage } from './client';

export const metadata: Metadata = { title: 'Churn' };
export const dynamic = 'force-dynamic';

export default function Page() {
  return <ChurnPage />;
}
