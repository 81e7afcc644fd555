import type { Metadata } from 'next';
import { getRuntime } from '@/server/index';
import { ComparePage } from './client';

export const metadata: Metadata = { title: 'Compare' };
export const dynamic = 'force-dynamic';

export default function Page() {
  getRuntime().api.prepareDiff();
  return <ComparePage />;
}
