import { notFound } from 'next/navigation';
import { getRuntime } from '@/server/index';
import { HistoryTab } from '../_view/history-tab';

interface HistoryPageProps {
  readonly params: Promise<{ readonly clientId: string }>;
}

export default async function HistoryPage({ params }: HistoryPageProps) {
  const { clientId } = await params;
  if (getRuntime().api.findClient(clientId) === undefined) notFound();
  return <HistoryTab />;
}
