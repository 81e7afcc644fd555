import { notFound } from 'next/navigation';
import { getRuntime } from '@/server/index';
import { ResourcesTab } from '../_view/resources-tab';

interface ResourcesPageProps {
  readonly params: Promise<{ readonly clientId: string }>;
}

export default async function ResourcesPage({ params }: ResourcesPageProps) {
  const { clientId } = await params;
  if (getRuntime().api.findClient(clientId) === undefined) notFound();
  return <ResourcesTab />;
}
