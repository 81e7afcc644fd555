import type { Metadata } from 'next';
import { CompareRulesPage } from './client';

export const metadata: Metadata = { title: 'What counts as different' };

export default function Page() {
  return <CompareRulesPage />;
}
