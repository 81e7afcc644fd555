import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { ErrorState } from '@/app/_components/error-state';
import { Shell } from '@/app/_components/shell/shell';
import { SharedOutcomes } from '@/app/_views/explain/shared-outcomes';
import { getRuntime } from '@/server/index';
import { readStored } from '../../read-stored';

interface SharedOutcomesPageProps {
  readonly params: Promise<{ readonly permalinkId: string }>;
}

/** Read once per request for title and page. */
const readAnswer = cache((id: string) =>
  readStored(() => getRuntime().api.ask('explain-permalinks/{id}', {}, { params: { id } })),
);

export async function generateMetadata({ params }: SharedOutcomesPageProps): Promise<Metadata> {
  const found = await readAnswer((await params).permalinkId);
  return { title: found.kind === 'found' ? 'Explain' : 'Permalink', robots: { index: false, follow: false } };
}

export default async function SharedOutcomesPage({ params }: SharedOutcomesPageProps) {
  const found = await readAnswer((await params).permalinkId);
  if (found.kind === 'unknown') notFound();
  return (
    <Shell>
      {found.kind === 'found' ? (
        <SharedOutcomes shared={found.stored} />
      ) : (
        <ErrorState title="This permalink cannot be read" error={found.reason} />
      )}
    </Shell>
  );
}
