import type { Metadata } from 'next';
import { CheckPage } from './client';

export const metadata: Metadata = { title: 'Check' };
export const dynamic = 'force-dynamic';

export default function Page() {
  return <CheckPage />;
}
