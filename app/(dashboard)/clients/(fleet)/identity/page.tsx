import type { Metadata } from 'next';
import { IdentityPage } from './client';

export const metadata: Metadata = { title: 'Certificates' };

export default function Page() {
  return <IdentityPage />;
}
