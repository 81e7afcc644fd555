import { notFound } from 'next/navigation';
import { FindingsTab } from '@/app/(dashboard)/clients/[clientId]/_view/findings-tab';
import { findPermalink } from '../find-permalink';

interface FrozenFindingsPageProps {
  readonly params: Promise<{ readonly permalinkId: string }>;
}

export default async function FrozenFindingsPage({ params }: FrozenFindingsPageProps) {
  if ((await findPermalink((await params).permalinkId)) === undefined) notFound();
  return <FindingsTab />;
}
