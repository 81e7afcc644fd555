import { notFound } from 'next/navigation';
import { GraphTab } from '@/app/(dashboard)/clients/[clientId]/_view/graph-tab';
import { findPermalink } from '../find-permalink';

interface FrozenGraphPageProps {
  readonly params: Promise<{ readonly permalinkId: string }>;
}

export default async function FrozenGraphPage({ params }: FrozenGraphPageProps) {
  if ((await findPermalink((await params).permalinkId)) === undefined) notFound();
  return <GraphTab />;
}
