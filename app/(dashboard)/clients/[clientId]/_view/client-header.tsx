import type { ReactNode } from 'react';
import { CopyButton } from '@/app/_components/copy-button';
import { NameText } from '@/app/_components/name-text';
import { separator } from '@/app/_components/separator';
import { StaleBanner } from '@/app/_components/stale-banner';
import { StatusMark } from '@/app/_components/status-mark';
import { knownUntil, WaitingSummaryText } from '@/app/_components/waiting-text';
import type { ClientDetail } from '@/lib/api/schema';
import { formatCounted } from '@/lib/format/count';
import { formatLocality } from '@/lib/format/locality';
import { isOfFiles } from '@/lib/view-model/fleet/is-of-files';
import { ClientCertificates } from './client-certificates';
import { NodeDetails } from './node-details';
import { ReportLines } from './report-lines';
import { ScopeLine } from './scope-line';
import { SourcesButton } from './sources-button';
import { SyncDetails } from './sync-details';

interface ClientHeaderProps {
  readonly client: ClientDetail;
  /** The moment of a permalink; null for a live view. */
  readonly snapshotAt: string | null;
  readonly actions: ReactNode;
}

/** The type of the rows with the answer of Envoy's /certs. */
const certificatesType = 'type.googleapis.com/envoy.admin.v3.Certificates';

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
        <Details client={client} snapshotAt={snapshotAt} />
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

function Details({ client, snapshotAt }: Pick<ClientHeaderProps, 'client' | 'snapshotAt'>) {
  const isStored = snapshotAt !== null;
  return (
    <>
      <p className="wrap-anywhere text-muted">
        <span className="font-mono text-text select-all">{client.nodeId}</span>
        {separator}
        {client.userAgent === '' ? 'user agent not reported' : client.userAgent}
        {separator}
        {formatLocality(client.locality)}
        {client.cluster !== '' && (
          <>
            {separator}
            <span title="node.cluster">
              cluster <span className="font-mono">{client.cluster}</span>
            </span>
          </>
        )}
      </p>
      {client.duplicateNodeId && <StaleBanner>{describeDuplicate(client)}</StaleBanner>}
      {client.waiting?.map((waiting) => (
        <p key={waiting.state} className="flex min-w-0 flex-wrap items-center gap-x-2">
          <StatusMark status={waiting.state} />
          <WaitingSummaryText
            waiting={waiting}
            until={knownUntil(client, snapshotAt)}
            className="min-w-0 wrap-anywhere"
          />
        </p>
      ))}
      <div className="flex flex-col gap-2">
        <ReportLines
          reports={client.reports}
          knownReason={client.freshness === 'live' || isOfFiles(client) ? '' : client.reason}
          isStored={isStored}
        />
      </div>
      {!isStored && <ScopeLine client={client} />}
      <NodeDetails node={client.node} />
      {client.sync !== undefined && <SyncDetails sync={client.sync} />}
      {!isStored && client.types.some(({ typeUrl }) => typeUrl === certificatesType) && (
        <ClientCertificates clientId={client.id} />
      )}
    </>
  );
}

function describeDuplicate({ processes }: ClientDetail): string {
  return processes === undefined
    ? 'Several sources report different configs for this node ID. Either a source is delayed, or two processes share the ID.'
    : `${formatCounted(processes.length, 'process', 'processes')} use this node ID and target at the same time: ${processes.join(', ')}. The states below are of all of them: the newest answer counts.`;
}
