import { notFound, redirect } from 'next/navigation';
import { getRuntime } from '@/server/index';

interface ClientPageProps {
  readonly params: Promise<{ readonly clientId: string }>;
}

export default async function ClientPage({ params }: ClientPageProps) {
  const { clientId } = await params;
  if (getRuntime().api.findClient(clientId) === undefined) notFound();
  redirect(`/clients/${encodeURIComponent(clientId)}/graph`);
}
