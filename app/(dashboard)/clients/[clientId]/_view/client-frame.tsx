'use client';

import Link from 'next/link';
import { useParams, useSearchParams } from 'next/navigation';
import type { ReactNode } from 'react';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { ExportButton } from '@/app/_components/export/export-button';
import { LinkTabs } from '@/app/_components/link-tabs';
import { ShareButton } from '@/app/_components/share/share-button';
import type { NewPermalink } from '@/lib/api/schema';
import { formatCount } from '@/lib/format/count';
import { type ClientViewName, clientViews, isClientView } from '@/lib/view-model/client/client-views';
import { ClientHeader } from './client-header';
import { FindingsCount } from './findings/findings-count';
import { ReadingProgress } from './reading-progress';

interface ClientFrameProps {
  /** A notice above everything else: stale, past or stored. */
  readonly banner: ReactNode;
  /** The time controls; absent in a stored view. */
  readonly scrubber?: ReactNode;
  readonly children: ReactNode;
}

export function ClientFrame({ banner, scrubber, children }: ClientFrameProps) {
  const { client, comparePath, basePath, storedTab, snapshotAt, transform } = useClientViewData();
  const current = useCurrentTab(storedTab);
  const search = useSearchParams().toString();

  function readView(): NewPermalink {
    return {
      clientId: client.id,
      view: {
        tab: current ?? 'graph',
        query: Object.fromEntries(new URLSearchParams(window.location.search)),
        transform: transform.current,
      },
    };
  }

  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      {banner !== null && <div className="px-4 pt-3">{banner}</div>}
      <ClientHeader
        client={client}
        snapshotAt={snapshotAt}
        actions={
          <>
            <Link
              href={comparePath}
              prefetch={false}
              aria-label="Compare this client"
              className="inline-flex h-8 items-center rounded-md border border-line-strong/60 bg-raised px-2.5 text-medium font-medium whitespace-nowrap hover:bg-hover"
            >
              Compare
            </Link>
            {snapshotAt === null && (
              <>
                <ExportButton clientId={client.id} />
                <ShareButton read={readView} resources={client.resources} />
              </>
            )}
          </>
        }
      />
      {snapshotAt === null && <ReadingProgress clientId={client.id} />}
      {scrubber}
      <div className="border-b border-line px-3">
        <LinkTabs
          label="Views of this client"
          tabs={listTabs(snapshotAt === null ? null : storedTab).map((id) => ({
            // The selection is kept, so that the inspector stays open.
            href: `${basePath}/${id}${search === '' ? '' : `?${search}`}`,
            label: clientViews[id].label,
            description: clientViews[id].description,
            isCurrent: id === current,
            badge:
              id === 'resources' ? (
                <span className="text-muted">{formatCount(client.resources)}</span>
              ) : id === 'findings' ? (
                <FindingsCount clientId={client.id} resources={client.resources} />
              ) : null,
          }))}
        />
      </div>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">{children}</div>
    </div>
  );
}

/** `shared`: the tab that a permalink was made from; null: the client is not stored. */
function listTabs(shared: string | null): readonly ClientViewName[] {
  const all = Object.keys(clientViews) as ClientViewName[];
  return all.filter((id) => shared === null || id === shared || clientViews[id].inPermalink === 'always');
}

/** The tab that the path names; without one, that of the permalink or the graph; null if there is no such tab. */
function useCurrentTab(storedTab: string): ClientViewName | null {
  const { tab = isClientView(storedTab) ? storedTab : 'graph' } = useParams<{ tab?: string }>();
  return isClientView(tab) ? tab : null;
}
