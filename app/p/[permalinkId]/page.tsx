import { notFound } from 'next/navigation';
import { GraphTab } from '@/app/(dashboard)/clients/[clientId]/_view/graph-tab';
import { ResourcesTab } from '@/app/(dashboard)/clients/[clientId]/_view/resources-tab';
import { findPermalink } from './find-permalink';

interface PermalinkPageProps {
  readonly params: Promise<{ readonly permalinkId: string }>;
}

/** The tab that was stored. */
export default async function PermalinkPage({ params }: PermalinkPageProps) {
  const permalink = await findPermalink((await params).permalinkId);
  if (permalink === undefined) notFound();
  return permalink.view.tab === 'resources' ? <ResourcesTab /> : <GraphTab />;
}
