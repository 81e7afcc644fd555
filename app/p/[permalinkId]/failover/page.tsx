import { notFound } from 'next/navigation';
import { FailoverTab } from '@/app/(dashboard)/clients/[clientId]/_view/failover/failover-tab';
import { findPermalink } from '../find-permalink';

interface FrozenFailoverPageProps {
  readonly params: Promise<{ readonly permalinkId: string }>;
}

export default async function FrozenFailoverPage({ params }: FrozenFailoverPageProps) {
  if ((await findPermalink((await params).permalinkId)) === undefined) notFound();
  return <FailoverTab />;
}
