import type { Metadata } from 'next';
import { ConvergencePage } from './client';

export const metadata: Metadata = { title: 'Convergence' };
export const dynamic = 'force-dynamic';

export default function Page() {
  return <ConvergencePage />;
}
