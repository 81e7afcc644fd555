import { notFound } from 'next/navigation';
import { HistoryTab } from '../_view/history-tab';
import { isKnownClient } from '../is-known-client';

interface HistoryPageProps {
  readonly params: Promise<{ readonly clientId: string }>;
}

export default async function HistoryPage({ params }: HistoryPageProps) {
  const { clientId } = await params;
  if (!(await isKnownClient(clientId))) notFound();
  return <HistoryTab />;
}
