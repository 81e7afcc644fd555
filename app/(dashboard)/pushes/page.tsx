import type { Metadata } from 'next';
import { PushesPage } from './client';

export const metadata: Metadata = { title: 'Pushes' };
export const dynamic = 'force-dynamic';

export default function Page() {
  return <PushesPage />;
}
