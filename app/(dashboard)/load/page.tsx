import type { Metadata } from 'next';
import { LoadPage } from './client';

export const metadata: Metadata = { title: 'Load' };
export const dynamic = 'force-dynamic';

export default function Page() {
  return <LoadPage />;
}
