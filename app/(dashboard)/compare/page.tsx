import type { Metadata } from 'next';
import { ComparePage } from './client';

export const metadata: Metadata = { title: 'Compare' };
export const dynamic = 'force-dynamic';

export default function Page() {
  return <ComparePage />;
}
