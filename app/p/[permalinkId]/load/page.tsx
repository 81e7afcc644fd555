import { notFound } from 'next/navigation';
import { LoadTab } from '@/app/(dashboard)/clients/[clientId]/_view/load/load-tab';
import { findPermalink } from '../find-permalink';

interface FrozenLoadPageProps {
  readonly params: Promise<{ readonly permalinkId: string }>;
}

export default async function FrozenLoadPage({ params }: FrozenLoadPageProps) {
  if ((await findPermalink((await params).permalinkId)) === undefined) notFound();
  return <LoadTab />;
}
