import { notFound } from 'next/navigation';
import { isClientTab } from '@/app/(dashboard)/clients/[clientId]/_view/client-tabs';
import { findPermalink } from '../find-permalink';
import { PermalinkTab } from '../permalink-tab';

interface PermalinkTabPageProps {
  readonly params: Promise<{ readonly permalinkId: string; readonly tab: string }>;
}

/** Another tab of a stored client than the shared one. */
export default async function PermalinkTabPage({ params }: PermalinkTabPageProps) {
  const { permalinkId, tab } = await params;
  if (!isClientTab(tab) || (await findPermalink(permalinkId)) === undefined) notFound();
  return <PermalinkTab tab={tab} />;
}
