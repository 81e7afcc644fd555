import { notFound } from 'next/navigation';
import { HistoryTab } from '@/app/(dashboard)/clients/[clientId]/_view/history-tab';
import { findPermalink } from '../find-permalink';

interface FrozenHistoryPageProps {
  readonly params: Promise<{ readonly permalinkId: string }>;
}

export default async function FrozenHistoryPage({ params }: FrozenHistoryPageProps) {
  if ((await findPermalink((await params).permalinkId)) === undefined) notFound();
  return <HistoryTab />;
}
