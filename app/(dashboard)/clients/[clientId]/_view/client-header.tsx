import dynamic from 'next/dynamic';
import type { ReactNode } from 'react';
import { CopyButton } from '@/app/_components/copy-button';
import { loadOnInput } from '@/app/_components/load-on-input';
import { NameText } from '@/app/_components/name-text';
import { separator } from '@/app/_components/separator';
import { StatusMark } from '@/app/_components/status-mark';
import type { ClientDetail } from '@/lib/api/schema';
import { formatCounted } from '@/lib/format/count';
import { formatLocality } from '@/lib/format/locality';
import { isOfFiles } from '@/lib/view-model/fleet/is-of-files';
import type { EpochMs } from '@/lib/xds/units';
import { SourcesButton } from './sources-button';

const ClientDetails = dynamic(() => import('./client-details').then(({ ClientDetails }) => ClientDetails));
loadOnInput(() => import('./client-details'));

interface ClientHeaderProps {
  readonly client: ClientDetail;
  /** The moment of a permalink; null for a live view. */
  readonly snapshotAt: EpochMs | null;
  readonly actions: ReactNode;
}

/** One line: the client, who reports it, its worst state, and what can be done with it. */
export function ClientHeader({ client, snapshotAt, actions }: ClientHeaderProps) {
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
        {client.worst !== null && client.trouble > 0 && (
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
  return isOfFiles(client)
    ? 'One of several imported clients with this node ID: client_scope as CSDS reports it, or else the file'
    : 'One of several XdsClients of a process (gRFC A71): client_scope as CSDS reports it, or else the listener that its stream requests';
}
