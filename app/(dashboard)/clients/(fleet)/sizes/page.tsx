import type { Metadata } from 'next';
import { SizesPage } from './client';

export const metadata: Metadata = { title: 'Sizes' };

export default function Page() {
  return <SizesPage />;
}
