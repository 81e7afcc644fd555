import type { Metadata } from 'next';
import { HistoryPage } from './client';

export const metadata: Metadata = { title: 'History' };
export const dynamic = 'force-dynamic';

export default function Page() {
  return <HistoryPage />;
}
