import { notFound } from 'next/navigation';
import { getRuntime } from '@/server/index';
import { FailoverTab } from '../_view/failover/failover-tab';
import { isKnownClient } from '../is-known-client';

interface FailoverPageProps {
  readonly params: Promise<{ readonly clientId: string }>;
}

export default async function FailoverPage({ params }: FailoverPageProps) {
  const { clientId } = await params;
  const client = getRuntime().api.findClient(clientId);
  if (client === undefined && !(await isKnownClient(clientId))) notFound();
  return <FailoverTab />;
}
