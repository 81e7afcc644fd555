import { notFound } from 'next/navigation';
import { ClientTab } from '@/app/(dashboard)/clients/[clientId]/_view/client-tab';
import { isClientView } from '@/app/(dashboard)/clients/[clientId]/client-views';
import { findPermalink } from './find-permalink';

interface PermalinkPageProps {
  readonly params: Promise<{ readonly permalinkId: string }>;
}

/** The tab that the permalink was made from. */
export default async function PermalinkPage({ params }: PermalinkPageProps) {
  const permalink = await findPermalink((await params).permalinkId);
  if (permalink === undefined) notFound();
  const { tab } = permalink.view;
  return <ClientTab tab={isClientView(tab) ? tab : 'graph'} />;
}
