import type { ReactNode } from 'react';
import { CopyButton } from '@/app/_components/copy-button';
import { separator } from '@/app/_components/separator';
import { StaleBanner } from '@/app/_components/stale-banner';
import { StatusMark } from '@/app/_components/status-mark';
import { knownUntil, WaitingSummaryText } from '@/app/_components/waiting-text';
import type { ClientDetail } from '@/lib/api/schema';
import { formatCounted } from '@/lib/format/count';
import { formatLocality } from '@/lib/format/locality';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import { formatVisible } from '@/lib/format/visible-text';
import { isOfFiles } from '@/lib/view-model/fleet/is-of-files';
import { ClientCertificates } from './client-certificates';
import { ReportLines } from './report-lines';
import { ScopeLine } from './scope-line';
import { SyncDetails } from './sync-details';

interface ClientHeaderProps {
  readonly client: ClientDetail;
  /** The moment of a permalink; null for a live view. */
  readonly snapshotAt: string | null;
  readonly actions: ReactNode;
}

/** The type of the rows with the answer of Envoy's /certs. */
const certificatesType = 'type.googleapis.com/envoy.admin.v3.Certificates';

/** istio's "sidecar~10.1.2.3~pod.namespace~namespace.svc.cluster.local" fits. */
const mostIdChars = 160;

export function ClientHeader({ client, snapshotAt, actions }: ClientHeaderProps) {
  const isStored = snapshotAt !== null;
  return (
    <header className="flex flex-col gap-1 px-4 pt-2 pb-0.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <div className="flex min-w-0 flex-[1_1_14rem] flex-wrap items-baseline gap-x-4 gap-y-0.5">
          <h1 className="flex items-center gap-1 text-[1.1429rem] font-semibold">
            <span className="min-w-0 font-mono break-all" title={client.nodeId} translate="no">
              {client.nodeId === ''
                ? '(empty node ID)'
                : formatMiddleCut(formatVisible(client.nodeId), mostIdChars)}
            </span>
            <CopyButton text={client.nodeId} label="Copy the node ID" />
          </h1>
          <p className="flex min-w-0 flex-wrap items-center gap-x-2 text-medium text-muted">
            {client.isProbe && <span className="text-text">xdscope&apos;s own probe</span>}
            {client.scope !== '' && (
              <span
                title={
                  isOfFiles(client)
                    ? 'One of several imported clients with this node ID: client_scope as CSDS reports it, or else the file'
                    : 'One of several XdsClients of a process (gRFC A71): client_scope as CSDS reports it, or else the listener that its stream requests'
                }
              >
                scope <span className="font-mono break-all text-text">{client.scope}</span>
              </span>
            )}
            {client.types.some(({ v2 }) => v2 !== undefined) && (
              <span className="text-timeout" title="Some of its resources use the v2 API (envoy.api.v2)">
                API v2
              </span>
            )}
            <span>
              {client.userAgent === '' ? 'user agent not reported' : client.userAgent}
              {separator}
              {formatLocality(client.locality)}
              {client.cluster !== '' && (
                <>
                  {separator}
                  <span title="node.cluster">
                    cluster <span className="font-mono break-all">{client.cluster}</span>
                  </span>
                </>
              )}
            </span>
          </p>
        </div>
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1.5">
          {client.worst !== null && client.trouble > 0 && (
            <span className="inline-flex items-center gap-2 text-medium whitespace-nowrap">
              <StatusMark status={client.worst} />
              <span className="text-muted">{formatCounted(client.trouble, 'resource')} in trouble</span>
            </span>
          )}
          {actions}
        </div>
      </div>
      {client.waiting?.map((waiting) => (
        <p key={waiting.state} className="flex min-w-0 flex-wrap items-center gap-x-2 text-medium">
          <StatusMark status={waiting.state} />
          <WaitingSummaryText
            waiting={waiting}
            until={knownUntil(client, snapshotAt)}
            className="min-w-0 wrap-anywhere"
          />
        </p>
      ))}
      {!isStored && <ScopeLine client={client} />}
      {client.duplicateNodeId && (
        <StaleBanner>
          {client.processes === undefined
            ? 'Several sources report different configs for this node ID. Either a source is delayed, or two processes share the ID.'
            : `${formatCounted(client.processes.length, 'process', 'processes')} use this node ID and target at the same time: ${client.processes.join(', ')}. The states below are of all of them: the newest answer counts.`}
        </StaleBanner>
      )}
      <div className="flex flex-wrap gap-x-6 gap-y-0.5 text-small">
        <ReportLines
          reports={client.reports}
          knownReason={client.freshness === 'live' || isOfFiles(client) ? '' : client.reason}
          isStored={isStored}
        />
        <NodeDetails node={client.node} />
        {client.sync !== undefined && <SyncDetails sync={client.sync} />}
        {!isStored && client.types.some(({ typeUrl }) => typeUrl === certificatesType) && (
          <ClientCertificates clientId={client.id} />
        )}
      </div>
    </header>
  );
}

function NodeDetails({ node }: { readonly node: ClientDetail['node'] }) {
  const metadata = Object.entries(node.metadata);
  if (metadata.length === 0 && node.clientFeatures.length === 0) return null;
  return (
    <details className="open:basis-full">
      <summary className="w-fit cursor-pointer rounded text-muted hover:text-text">
        Node metadata ({metadata.length}), client features ({node.clientFeatures.length})
      </summary>
      <div className="mt-1 flex max-h-60 flex-col gap-2 overflow-auto rounded-md border border-line bg-raised p-3">
        {node.clientFeatures.length > 0 && (
          <ul aria-label="Client features" className="flex flex-wrap gap-1.5">
            {node.clientFeatures.map((feature) => (
              <li key={feature} className="rounded border border-line px-1.5 font-mono break-all">
                {feature}
              </li>
            ))}
          </ul>
        )}
        <dl className="grid grid-cols-[minmax(0,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1 font-mono">
          {metadata.map(([key, value]) => (
            <div key={key} className="contents">
              <dt className="max-w-80 break-all text-muted">{key}</dt>
              <dd className="break-all whitespace-pre-wrap">
                {typeof value === 'string' ? value : JSON.stringify(value, null, 1)}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </details>
  );
}
