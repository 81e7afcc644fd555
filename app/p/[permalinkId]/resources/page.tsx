import { notFound } from 'next/navigation';
import { ResourcesTab } from '@/app/(dashboard)/clients/[clientId]/_view/resources-tab';
import { findPermalink } from '../find-permalink';

interface FrozenResourcesPageProps {
  readonly params: Promise<{ readonly permalinkId: string }>;
}

export default async function FrozenResourcesPage({ params }: FrozenResourcesPageProps) {
  if ((await findPermalink((await params).permalinkId)) === undefined) notFound();
  return <ResourcesTab />;
}
