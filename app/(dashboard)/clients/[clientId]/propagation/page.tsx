import { notFound } from 'next/navigation';
import { PropagationTab } from '../_view/propagation-tab';
import { isKnownClient } from '../is-known-client';

interface PropagationPageProps {
  readonly params: Promise<{ readonly clientId: string }>;
}

export default async function PropagationPage({ params }: PropagationPageProps) {
  const { clientId } = await params;
  if (!(await isKnownClient(clientId))) notFound();
  return <PropagationTab />;
}
