'use client';

import { useIsFetching } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import Link from 'next/link';
import { useParams, useSearchParams } from 'next/navigation';
import { type ReactNode, useState } from 'react';
import { subjectKey } from '@/app/_ask/client-subject';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { useRunningImport } from '@/app/_ask/use-running-import';
import { CopyButton } from '@/app/_components/copy-button';
import { ExportButton } from '@/app/_components/export/export-button';
import { Icon } from '@/app/_components/icon';
import { LinkTabs } from '@/app/_components/link-tabs';
import { loadOnInput } from '@/app/_components/load-on-input';
import { NameText } from '@/app/_components/name-text';
import { PopoverButton } from '@/app/_components/popover-button';
import { separator } from '@/app/_components/separator';
import { ShareButton } from '@/app/_components/share/share-button';
import { StatusMark } from '@/app/_components/status-mark';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { useConnection } from '@/app/_stream/use-live-stream';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatDay } from '@/lib/format/exact-time';
import { formatLocality } from '@/lib/format/locality';
import {
  type ClientViewName,
  clientViews,
  isClientView,
  listClientViews,
} from '@/lib/views/client/client-views';
import { describeSources } from '@/lib/views/client/describe-sources';
import { isImportedClient } from '@/lib/views/client/is-imported-client';
import type { ClientDetail } from '@/lib/views/client/schema';
import type { NewPermalink } from '@/lib/views/permalinks/schema';
import type { FileImport } from '@/lib/views/recording/import-schema';
import type { EpochMs } from '@/lib/xds/units';
import { FindingsCount } from '../findings/findings-count';

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
          tabs={listClientViews(client, snapshotAt === null ? null : storedTab).map((id) => ({
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

/** The tab that the path names; without one, that of the permalink or the graph; null if there is no such tab. */
function useCurrentTab(storedTab: string): ClientViewName | null {
  const { tab = isClientView(storedTab) ? storedTab : 'graph' } = useParams<{ tab?: string }>();
  return isClientView(tab) ? tab : null;
}

const ClientDetails = dynamic(() => import('./client-details').then(({ ClientDetails }) => ClientDetails));

loadOnInput(() => import('./client-details'));

interface ClientHeaderProps {
  readonly client: ClientDetail;
  /** The moment of a permalink; null for a live view. */
  readonly snapshotAt: EpochMs | null;
  readonly actions: ReactNode;
}

/** One line: the client, who reports it, its worst state, and what can be done with it. */
function ClientHeader({ client, snapshotAt, actions }: ClientHeaderProps) {
  const waiting = client.waiting ?? [];
  return (
    <header className="flex min-w-0 items-center gap-x-3 gap-y-1 px-4 py-1 max-md:flex-wrap">
      <h1 className="flex min-w-0 items-center gap-1 text-[1.1429rem] font-semibold">
        {client.nodeId === '' ? '(empty node ID)' : <NameText name={client.nodeId} />}
        <CopyButton text={client.nodeId} label="Copy the node ID" />
      </h1>
      {client.scope !== '' && (
        <span className="flex min-w-0 items-center gap-1 text-medium text-muted" title={scopeTitle(client)}>
          scope <NameText name={client.scope} className="text-text" />
        </span>
      )}
      {client.isProbe && <span className="shrink-0 text-medium">xdscope&apos;s own probe</span>}
      <SourcesButton client={client} isStored={snapshotAt !== null}>
        <ClientDetails client={client} snapshotAt={snapshotAt} />
      </SourcesButton>
      <p className="min-w-0 flex-1 truncate text-medium text-muted max-lg:hidden">
        {client.userAgent === '' ? 'user agent not reported' : client.userAgent}
        {separator}
        {formatLocality(client.locality)}
        {client.types.some(({ v2 }) => v2 !== undefined) && (
          <span className="text-timeout" title="Some of its resources use the v2 API (envoy.api.v2)">
            {separator}API v2
          </span>
        )}
      </p>
      <div className="ml-auto flex min-w-0 items-center gap-x-3 max-md:ml-0 max-md:flex-wrap md:shrink-0">
        {client.worst !== undefined && client.trouble > 0 && (
          <span className="inline-flex items-center gap-2 text-medium whitespace-nowrap">
            <StatusMark status={client.worst} />
            <span className="text-muted">{formatCounted(client.trouble, 'resource')} in trouble</span>
          </span>
        )}
        {waiting.map(({ state, resources }) => (
          <span key={state} className="inline-flex items-center gap-2 text-medium whitespace-nowrap">
            <StatusMark status={state} />
            <span className="text-muted">{formatCounted(resources, 'resource')}</span>
          </span>
        ))}
        <span className="flex items-center gap-x-2">{actions}</span>
      </div>
    </header>
  );
}

function scopeTitle(client: ClientDetail): string {
  return isImportedClient(client)
    ? 'One of several imported clients with this node ID: client_scope as CSDS reports it, or else the file'
    : 'One of several XdsClients of a process (gRFC A71): client_scope as CSDS reports it, or else the listener that its stream requests';
}

const ImportProgress = dynamic(() =>
  import('@/app/_components/imports/import-progress').then(({ ImportProgress }) => ImportProgress),
);

/**
 * The progress of a client's file while it is read, and until the views have its newest data. Nothing for
 * other clients.
 */
function ReadingProgress({ clientId }: { readonly clientId: string }) {
  const running = useRunningImport(clientId);
  const isBehind = useIsFetching({ queryKey: subjectKey({ clientId }) }) > 0;
  const [newest, setNewest] = useState<FileImport | null>(null);
  if (running && running !== newest) setNewest(running);
  if (!running && newest !== null && !isBehind) setNewest(null);
  const item = running ?? newest;
  if (!item) return null;
  return (
    <div className="flex flex-col gap-1 px-4 pt-2">
      <p className="text-medium">
        {running
          ? 'Its file is still being read. The data below is what has been read so far.'
          : 'Its file has been read. The data below is being updated.'}
      </p>
      <ImportProgress item={running ? item : atItsEnd(item)} />
    </div>
  );
}

function atItsEnd(item: FileImport): FileImport {
  const { total } = item.progress;
  return { ...item, state: 'reading', progress: { done: total ?? 0, total } };
}

interface SourcesButtonProps {
  readonly client: ClientDetail;
  /** A stored view, where no report is live. */
  readonly isStored: boolean;
  readonly children: ReactNode;
}

const words = { live: 'Live', stale: 'Stale', gone: 'Disconnected' } as const;
const storedWords = { live: 'Was live', stale: 'Was stale', gone: 'Was disconnected' } as const;

/** "Live, 5 sources agree": opens the sources of the client and its details. */
function SourcesButton({ client, isStored, children }: SourcesButtonProps) {
  const isCut = useConnection().kind === 'disconnected' && !isStored;
  const timeZone = useTimeZone();
  const { kind, text, warning } = describeSources(client);
  const isAsked = kind === 'live' && !isCut;
  const word =
    kind === 'snapshot'
      ? snapshotText(client, timeZone)
      : isStored || isCut
        ? storedWords[kind]
        : words[kind];
  return (
    <PopoverButton
      label="Sources and node"
      button={
        <>
          {isAsked && !isStored && (
            <span className="text-acked">
              <Icon name="check" sizePx={12} />
            </span>
          )}
          <span
            className={`min-w-0 truncate ${kind === 'snapshot' || isAsked || isStored ? '' : 'text-timeout'}`}
            suppressHydrationWarning
          >
            {[word, text].filter((part) => part !== '').join(', ')}
          </span>
          {warning !== '' && (
            <span className="inline-flex items-center gap-1 text-timeout">
              <Icon name="warning" sizePx={12} />
              {warning}
            </span>
          )}
        </>
      }
    >
      {children}
    </PopoverButton>
  );
}

/** The date of the newest file. */
function snapshotText({ reports }: ClientDetail, timeZone: string): string {
  const times = reports.flatMap(({ lastSeenAt }) => lastSeenAt ?? []);
  return times.length === 0 ? 'Snapshot' : `Snapshot, ${formatDay(Math.max(...times), timeZone)}`;
}
