'use client';

import Link from 'next/link';
import { useMemo } from 'react';
import { useFoundClients } from '@/app/_ask/use-found-clients';
import { useQuestion } from '@/app/_ask/use-question';
import { CertificatesTable } from '@/app/_components/certificates/certificates-table';
import { ExpiryText } from '@/app/_components/certificates/expiry-text';
import { clientHref } from '@/app/_components/client-href';
import { ErrorState } from '@/app/_components/error-state';
import { ConfigStatusName } from '@/app/_components/inspector/config-status-text';
import { NoncesText } from '@/app/_components/inspector/nonces-text';
import { NameText } from '@/app/_components/name-text';
import { separator } from '@/app/_components/separator';
import { StaleBanner } from '@/app/_components/stale-banner';
import { StatusMark } from '@/app/_components/status-mark';
import { TimeAgo } from '@/app/_components/time-ago';
import { WaitingSummaryText } from '@/app/_components/waiting-text';
import { formatCounted } from '@/lib/format/count';
import { formatLocality } from '@/lib/format/locality';
import { isImportedClient } from '@/lib/views/client/is-imported-client';
import { knownUntil } from '@/lib/views/client/known-until';
import type { ClientDetail, TypeSync } from '@/lib/views/client/schema';
import { joinScopes } from '@/lib/views/fleet/join-scopes';
import type { EpochMs } from '@/lib/xds/units';
import { ReportLines } from './report-lines';

/** The type of the rows with the answer of Envoy's /certs. */
const certificatesType = 'type.googleapis.com/envoy.admin.v3.Certificates';

interface ClientDetailsProps {
  readonly client: ClientDetail;
  /** The moment of a permalink; null for a live view. */
  readonly snapshotAt: EpochMs | null;
}

/** Shows which sources report the client, and what it reports about itself. */
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
          knownReason={client.freshness === 'live' || isImportedClient(client) ? '' : client.reason}
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

/** The certificates of the client's admin interface: a summary with the next expiry, and the table on demand. */
function ClientCertificates({ clientId }: { readonly clientId: string }) {
  const { data, error, refetch } = useQuestion('certificates', { client: clientId, limit: 1_000 });
  if (data === undefined && error !== null) {
    return <ErrorState title="Couldn’t load the certificates" error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <span className="text-muted">Loading certificates</span>;
  if (data.clients === 0) return null;
  const [first] = data.items;
  const isTrouble = data.expired > 0 || data.soon > 0;
  return (
    <details className="min-w-0 open:basis-full">
      <summary
        className={`w-fit cursor-pointer rounded hover:text-text ${isTrouble ? 'text-timeout' : 'text-muted'}`}
      >
        {formatCounted(data.total, 'certificate')}
        {first !== undefined && (
          <>
            , earliest expiry: <ExpiryText certificate={first} />
          </>
        )}
        {data.total > data.items.length && ` (the first ${data.items.length} to expire are listed)`}
        {data.unread > 0 && `, ${formatCounted(data.unread, 'list')} no longer kept`}
      </summary>
      <div className="mt-1 overflow-hidden rounded-md border border-line bg-raised">
        <CertificatesTable certificates={data.items} of="one" className="max-h-60 min-h-24" />
      </div>
    </details>
  );
}

/** The metadata of the node and its client features, on demand. */
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

const namedMost = 12;

const title =
  'gRFC A71: a gRPC process has an XdsClient with its own ADS stream for each target, and one for its servers. Control planes and load reports identify only the node.';

/** The other XdsClients of the same process, or the other imports with the same node ID. Nothing without any. */
function ScopeLine({ client }: { readonly client: ClientDetail }) {
  const { id: clientId, nodeId } = client;
  // A quote delimits phrases in filters, so only the part before it is searched.
  const { data: clients } = useFoundClients(`node~"${nodeId.split('"')[0]}"`);
  const link = useMemo(() => joinScopes(clients ?? []).get(clientId), [clients, clientId]);
  if (link === undefined) return null;
  const scopes = (clients ?? []).filter(({ id }) => id !== clientId && link.scopeIds.includes(id));
  return (
    <p className="flex min-w-0 flex-wrap gap-x-2 note">
      <span title={isImportedClient(client) ? undefined : title}>
        {isImportedClient(client)
          ? `One of ${formatCounted(link.scopeIds.length, 'imported client')} with this node ID. The others:`
          : link.kind === 'whole'
            ? `The whole process, as control planes and load reports identify it. Its ${formatCounted(scopes.length, 'target')}:`
            : `One of ${formatCounted(link.scopeIds.length, 'target')} of its process.${scopes.length > 0 ? ' The others:' : ''}`}
      </span>
      {scopes.slice(0, namedMost).map(({ id, scope }) => (
        <Link key={id} href={clientHref(id)} className="min-w-0 link-quiet">
          <NameText name={scope} />
        </Link>
      ))}
      {scopes.length > namedMost && <span>and {scopes.length - namedMost} more</span>}
      {link.kind === 'scope' && link.wholeId !== undefined && (
        <Link href={clientHref(link.wholeId)} className="link">
          Load reports and control planes: the whole process
        </Link>
      )}
    </p>
  );
}

const isBehind = ({ configStatus }: TypeSync): boolean =>
  configStatus === 'ERROR' || configStatus === 'STALE';

/** The sync status of each istiod: a summary, and the table by type on demand. */
function SyncDetails({ sync }: { readonly sync: NonNullable<ClientDetail['sync']> }) {
  const behind = sync.flatMap(({ types }) => types).filter(isBehind);
  return (
    <details className="min-w-0 open:basis-full">
      <summary
        className={`w-fit cursor-pointer rounded hover:text-text ${behind.length > 0 ? 'text-timeout' : 'text-muted'}`}
      >
        istiod:{' '}
        {behind.length === 0
          ? 'in sync'
          : `${[...new Set(behind.map(({ service }) => service))].join(', ')} out of sync`}
        {sync.length > 1 && `, by ${formatCounted(sync.length, 'instance')}`}
      </summary>
      {sync.map(({ sourceId, freshness, types }) => (
        <section key={sourceId} className="mt-1 overflow-x-auto rounded-md border border-line bg-raised p-3">
          <h2 className="mb-1.5">
            <span className="font-mono break-all">{sourceId}</span>{' '}
            {freshness !== 'live' && <span className="text-timeout">{freshness}</span>}
          </h2>
          <table className="w-full border-collapse text-left">
            <thead className="text-muted">
              <tr>
                <th className="pr-4 pb-1 font-normal">Type</th>
                <th className="pr-4 pb-1 font-normal">State</th>
                <th className="pr-4 pb-1 font-normal">Sent</th>
                <th className="pb-1 font-normal">Nonces</th>
              </tr>
            </thead>
            <tbody>
              {types.map((type) => (
                <TypeLine key={type.typeUrl} type={type} />
              ))}
            </tbody>
          </table>
        </section>
      ))}
    </details>
  );
}

function TypeLine({ type }: { readonly type: TypeSync }) {
  const { service, typeUrl, configStatus, lastUpdated, error, nonces } = type;
  return (
    <tr className="align-baseline">
      <td className="py-0.5 pr-4" title={typeUrl}>
        {service}
      </td>
      <td className="py-0.5 pr-4">
        <ConfigStatusName status={configStatus} />
        {error !== '' && <p className="max-w-prose wrap-anywhere">{error}</p>}
      </td>
      <td className="py-0.5 pr-4 whitespace-nowrap">
        <TimeAgo at={lastUpdated} never="never, or not reported" />
      </td>
      <td className="py-0.5">
        {nonces === undefined ? (
          <span className="text-muted">not reported</span>
        ) : (
          <NoncesText nonces={nonces} />
        )}
      </td>
    </tr>
  );
}
