import { notFound } from 'next/navigation';
import { TruthTab } from '../_view/truth-tab';
import { isKnownClient } from '../is-known-client';

interface TruthPageProps {
  readonly params: Promise<{ readonly clientId: string }>;
}

export default async function TruthPage({ params }: TruthPageProps) {
  const { clientId } = await params;
  if (!(await isKnownClient(clientId))) notFound();
  return <TruthTab />;
}
