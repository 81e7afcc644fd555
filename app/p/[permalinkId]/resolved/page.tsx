import { notFound } from 'next/navigation';
import { ResolvedTab } from '@/app/(dashboard)/clients/[clientId]/_view/resolved/resolved-tab';
import { findPermalink } from '../find-permalink';

interface FrozenResolvedPageProps {
  readonly params: Promise<{ readonly permalinkId: string }>;
}

export default async function FrozenResolvedPage({ params }: FrozenResolvedPageProps) {
  if ((await findPermalink((await params).permalinkId)) === undefined) notFound();
  return <ResolvedTab />;
}
