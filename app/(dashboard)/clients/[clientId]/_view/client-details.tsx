'use client';

import { separator } from '@/app/_components/separator';
import { StaleBanner } from '@/app/_components/stale-banner';
import { StatusMark } from '@/app/_components/status-mark';
import { knownUntil, WaitingSummaryText } from '@/app/_components/waiting-text';
import type { ClientDetail } from '@/lib/api/schema';
import { formatCounted } from '@/lib/format/count';
import { formatLocality } from '@/lib/format/locality';
import { isOfFiles } from '@/lib/view-model/fleet/is-of-files';
import type { EpochMs } from '@/lib/xds/units';
import { ClientCertificates } from './client-certificates';
import { NodeDetails } from './node-details';
import { ReportLines } from './report-lines';
import { ScopeLine } from './scope-line';
import { SyncDetails } from './sync-details';

/** The type of the rows with the answer of Envoy's /certs. */
const certificatesType = 'type.googleapis.com/envoy.admin.v3.Certificates';

interface ClientDetailsProps {
  readonly client: ClientDetail;
  /** The moment of a permalink; null for a live view. */
  readonly snapshotAt: EpochMs | null;
}

/** Who reports the client, and what it reports about itself. */
export function ClientDetails({ client, snapshotAt }: ClientDetailsProps) {
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
