import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { ErrorState } from '@/app/_components/error-state';
import { Shell } from '@/app/_components/shell/shell';
import { SharedRun } from '@/app/_views/server-checks/shared-run';
import { getRuntime } from '@/server/index';
import { readStored } from '../../read-stored';

interface SharedRunPageProps {
  readonly params: Promise<{ readonly permalinkId: string }>;
}

/** Read once per request for title and page. */
const readRun = cache((id: string) =>
  readStored(() => getRuntime().api.ask('interop/server-check-permalinks/{id}', {}, { params: { id } })),
);

export async function generateMetadata({ params }: SharedRunPageProps): Promise<Metadata> {
  const found = await readRun((await params).permalinkId);
  const title = found.kind === 'found' ? `Checks of ${found.stored.server}` : 'Permalink';
  return { title, robots: { index: false, follow: false } };
}

export default async function SharedRunPage({ params }: SharedRunPageProps) {
  const found = await readRun((await params).permalinkId);
  if (found.kind === 'unknown') notFound();
  return (
    <Shell>
      {found.kind === 'found' ? (
        <SharedRun run={found.stored} />
      ) : (
        <ErrorState title="This permalink cannot be read" error={found.reason} />
      )}
    </Shell>
  );
}
