import { notFound } from 'next/navigation';
import { findPermalink } from './find-permalink';
import { PermalinkTab } from './permalink-tab';

interface PermalinkPageProps {
  readonly params: Promise<{ readonly permalinkId: string }>;
}

/** The tab that was stored. */
export default async function PermalinkPage({ params }: PermalinkPageProps) {
  const permalink = await findPermalink((await params).permalinkId);
  if (permalink === undefined) notFound();
  return <PermalinkTab tab={permalink.view.tab} />;
}
