import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { ClientTab } from '@/app/_views/client-frame/client-tab';
import { isClientView } from '@/lib/views/client/client-views';
import { findPermalink } from '../find-permalink';
import { tabTitle } from '../tab-title';

interface PermalinkTabPageProps {
  readonly params: Promise<{ readonly permalinkId: string; readonly tab: string }>;
}

export async function generateMetadata({ params }: PermalinkTabPageProps): Promise<Metadata> {
  const { permalinkId, tab } = await params;
  return isClientView(tab) ? tabTitle(await findPermalink(permalinkId), tab) : {};
}

export default async function PermalinkTabPage({ params }: PermalinkTabPageProps) {
  const { permalinkId, tab } = await params;
  if (!isClientView(tab) || (await findPermalink(permalinkId)) === undefined) notFound();
  return <ClientTab tab={tab} />;
}
