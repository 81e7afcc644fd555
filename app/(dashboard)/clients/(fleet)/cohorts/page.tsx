import type { Metadata } from 'next';
import { CohortsPage } from './client';

export const metadata: Metadata = { title: 'Cohorts' };

export default function Page() {
  return <CohortsPage />;
}
