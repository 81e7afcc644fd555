import type { Metadata } from 'next';
import { ClientsPage } from './client';

export const metadata: Metadata = { title: 'Clients' };
export const dynamic = 'force-dynamic';

export default function Page() {
  return <ClientsPage />;
}
