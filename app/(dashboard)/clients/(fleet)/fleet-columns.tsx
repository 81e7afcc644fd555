import Link from 'next/link';
import type { ClientSummary, TypeSummary } from '@/lib/api/schema';
import { formatCounted } from '@/lib/format/count';
import { formatLocality, formatShortLocality } from '@/lib/format/locality';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import type { FleetType } from '@/lib/view-model/fleet/build-fleet-types';
import { clientStatusRank } from '@/lib/xds/status';
import { NotTold } from '../../../_components/bytes-text';
import type { DataColumn } from '../../../_components/data-column';
import { FreshnessMark } from '../../../_components/freshness-mark';
import { NameText } from '../../../_components/name-text';
import { ClientStatusCounts, ConfigStatusCounts } from '../../../_components/status-counts';
import { StatusMark } from '../../../_components/status-mark';
import { TimeAgo } from '../../../_components/time-ago';
import { V2Mark } from '../../../_components/v2-mark';

export interface FleetRow extends ClientSummary {
  /** How many scopes of its process it stands for; not there: it is one client. */
  readonly scopesTold?: number;
}
type FleetColumn = DataColumn<FleetRow>;

/** Wide windows: one column for each resource type, the control plane's word on a line of its own below. */
export function buildFleetColumns(types: readonly FleetType[]): FleetColumn[] {
  return [
    statusColumn,
    clientColumn,
    ...types.map(typeColumn),
    troubleColumn,
    localityColumn,
    agentColumn,
    changedColumn,
    seenColumn,
  ];
}

/** A phone reads the name, the trouble and the age. */
export function buildNarrowFleetColumns(): FleetColumn[] {
  return [statusColumn, narrowColumn, { ...changedColumn, widthPx: 92 }];
}

const statusColumn: FleetColumn = {
  id: 'status',
  header: <span className="sr-only">Worst status</span>,
  description: 'The worst status of the client’s resources',
  widthPx: 44,
  sortValue: ({ worst, trouble }) => (worst === null ? null : clientStatusRank(worst) - trouble / 1e6),
  cell: ({ worst }) => <StatusMark status={worst ?? 'UNKNOWN'} word={false} sizePx={14} />,
};

const clientColumn: FleetColumn = {
  id: 'client',
  header: 'Client',
  description: 'Node id, and the client’s scope where the process runs several xDS clients (gRFC A71)',
  widthPx: 210,
  grows: true,
  sortValue: ({ nodeId, scope }) => `${nodeId}\n${scope}`,
  cell: (client) => <ClientLink client={client} />,
};

function ClientLink({ client }: { readonly client: FleetRow }) {
  return (
    <div className="flex min-w-0 flex-col">
      <span className="flex min-w-0 items-center gap-1.5">
        <Link
          href={`/clients/${client.id}`}
          className="min-w-0 font-medium hover:text-accent hover:underline"
        >
          <NameText name={client.nodeId} maxChars={44} />
        </Link>
        {isV2(client) && <Tag title="Some of its resources came in the v2 API (envoy.api.v2)">v2</Tag>}
        {client.isProbe && <Tag title="xdscope’s own xDS client">probe</Tag>}
        {client.duplicateNodeId && (
          <Tag title="Several sources report different configs under this node id">same id twice</Tag>
        )}
      </span>
      {client.scope !== '' && (
        <NameText name={client.scope} maxChars={40} className="text-[0.8571rem] text-muted" />
      )}
      {client.scopesTold !== undefined && (
        <span
          title="Streams and control planes tell the node alone: this is the process as a whole, and counted with its scopes (gRFC A71)"
          className="truncate text-[0.8571rem] text-muted"
        >
          {formatCounted(client.scopesTold, 'scope')} together, on the wire
        </span>
      )}
    </div>
  );
}

function Tag({ children, title }: { readonly children: string; readonly title: string }) {
  return (
    <span
      title={title}
      className="shrink-0 rounded border border-line px-1 text-[0.7857rem] leading-4 text-muted"
    >
      {children}
    </span>
  );
}

function isV2({ types }: ClientSummary): boolean {
  return types.some(({ v2 }) => v2 !== undefined);
}

function findType(client: ClientSummary, typeUrl: string): TypeSummary | undefined {
  return client.types.find((type) => type.typeUrl === typeUrl);
}

function typeColumn({ typeUrl, label, description }: FleetType): FleetColumn {
  return {
    id: label.toLowerCase(),
    header: label,
    description: `${description}: the client’s word; below it, where a control plane spoke, what that one says it sent`,
    widthPx: 102,
    sortsDescendingFirst: true,
    sortValue: (client) => {
      const type = findType(client, typeUrl);
      if (type === undefined || type.worst === null) return null;
      // Trouble first, then size.
      return (10 - clientStatusRank(type.worst)) * 1e7 + type.total;
    },
    cell: (client) => {
      const type = findType(client, typeUrl);
      if (type === undefined || type.total === 0) return <NotTold why="none" />;
      return (
        <div className="flex min-w-0 flex-col">
          <span className="flex items-center gap-1.5">
            <ClientStatusCounts counts={type.byClientStatus} />
            {type.v2 !== undefined && (
              <V2Mark text={`${type.v2} of ${type.total} came in the v2 API (envoy.api.v2)`} />
            )}
          </span>
          {Object.keys(type.byConfigStatus).length > 0 && (
            <span className="truncate text-[0.7857rem] leading-4">
              <ConfigStatusCounts counts={type.byConfigStatus} />
            </span>
          )}
        </div>
      );
    },
  };
}

const troubleColumn: FleetColumn = {
  id: 'trouble',
  header: 'Trouble',
  description: 'The newest reason: why a resource was refused, or what is missing',
  widthPx: 240,
  grows: true,
  sortsDescendingFirst: true,
  sortValue: ({ trouble }) => trouble,
  cell: ({ troubleText, trouble }) =>
    trouble === 0 ? (
      <NotTold why="no trouble" />
    ) : (
      <p className="line-clamp-2 text-[0.8571rem] leading-snug break-words" title={troubleText}>
        {troubleText === '' ? 'no reason was told' : troubleText}
      </p>
    ),
};

const localityColumn: FleetColumn = {
  id: 'locality',
  header: 'Locality',
  description: 'Region / zone / sub-zone of the node',
  widthPx: 116,
  sortValue: ({ locality }) => (locality === null ? null : formatLocality(locality)),
  cell: ({ locality }) => (
    <span className="block truncate" title={formatLocality(locality)}>
      {formatShortLocality(locality)}
    </span>
  ),
};

const agentColumn: FleetColumn = {
  id: 'agent',
  header: 'User agent',
  widthPx: 168,
  sortValue: ({ userAgent }) => (userAgent === '' ? null : userAgent),
  cell: ({ userAgent }) =>
    userAgent === '' ? (
      <NotTold />
    ) : (
      <span className="block truncate text-[0.8571rem] text-muted" title={userAgent}>
        {formatMiddleCut(userAgent, 24)}
      </span>
    ),
};

const changedColumn: FleetColumn = {
  id: 'changed',
  header: 'Changed',
  description: 'When anything of the client was different for the last time',
  align: 'right',
  widthPx: 92,
  sortsDescendingFirst: true,
  sortValue: ({ lastChangedAt }) => lastChangedAt,
  cell: ({ lastChangedAt }) => <TimeAgo iso={lastChangedAt} />,
};

const seenColumn: FleetColumn = {
  id: 'seen',
  header: 'Fresh',
  description: 'live: its source named it in the newest answer. stale or gone: hover says why',
  align: 'right',
  widthPx: 72,
  sortValue: ({ freshness }) => ['gone', 'stale', 'live'].indexOf(freshness),
  cell: (client) => <FreshnessMark client={client} />,
};

const narrowColumn: FleetColumn = {
  id: 'client',
  header: 'Client',
  widthPx: 200,
  grows: true,
  sortValue: clientColumn.sortValue,
  cell: (client) => (
    <div className="min-w-0">
      <div className="flex min-w-0 items-center gap-1.5">
        <Link href={`/clients/${client.id}`} className="min-w-0 font-medium">
          <NameText name={client.nodeId} maxChars={28} />
        </Link>
        {isV2(client) && <V2Mark text="Some of its resources came in the v2 API (envoy.api.v2)" />}
      </div>
      <p className="truncate text-[0.8571rem] text-muted">
        {client.troubleText === '' ? `${client.resources} resources` : client.troubleText}
      </p>
    </div>
  ),
};
