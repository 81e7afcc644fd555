import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { ClientTab } from '@/app/_views/client-frame/client-tab';
import { isClientView } from '@/lib/views/client/client-views';
import { findPermalink } from './find-permalink';
import { tabTitle } from './tab-title';

interface PermalinkPageProps {
  readonly params: Promise<{ readonly permalinkId: string }>;
}

export async function generateMetadata({ params }: PermalinkPageProps): Promise<Metadata> {
  const permalink = await findPermalink((await params).permalinkId);
  return tabTitle(permalink, tabOf(permalink?.view.tab));
}

/** The tab that the permalink was made from. */
export default async function PermalinkPage({ params }: PermalinkPageProps) {
  const permalink = await findPermalink((await params).permalinkId);
  if (permalink === undefined) notFound();
  return <ClientTab tab={tabOf(permalink.view.tab)} />;
}

function tabOf(stored: string | undefined) {
  return isClientView(stored) ? stored : 'graph';
}
