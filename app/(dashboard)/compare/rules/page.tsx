import type { Metadata } from 'next';
import { CompareRulesPage } from './client';

export const metadata: Metadata = { title: 'Comparison rules' };

export default function Page() {
  return <CompareRulesPage />;
}
