import { notFound } from 'next/navigation';
import { getRuntime } from '@/server/index';
import { LoadTab } from '../_view/load/load-tab';
import { isKnownClient } from '../is-known-client';

interface LoadPageProps {
  readonly params: Promise<{ readonly clientId: string }>;
}

export default async function LoadPage({ params }: LoadPageProps) {
  const { clientId } = await params;
  const client = getRuntime().api.findClient(clientId);
  if (client === undefined && !(await isKnownClient(clientId))) notFound();
  return <LoadTab />;
}
