import { notFound } from 'next/navigation';
import { ClientTab } from '@/app/(dashboard)/clients/[clientId]/_view/client-tab';
import { isClientView } from '@/app/(dashboard)/clients/[clientId]/client-views';
import { findPermalink } from '../find-permalink';

interface PermalinkTabPageProps {
  readonly params: Promise<{ readonly permalinkId: string; readonly tab: string }>;
}

export default async function PermalinkTabPage({ params }: PermalinkTabPageProps) {
  const { permalinkId, tab } = await params;
  if (!isClientView(tab) || (await findPermalink(permalinkId)) === undefined) notFound();
  return <ClientTab tab={tab} />;
}
