import Link from 'next/link';
import { Fragment, type ReactNode } from 'react';
import { NotReported } from '@/app/_components/bytes-text';
import { column } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { FreshnessMark } from '@/app/_components/freshness-mark';
import { ConfigStatusName } from '@/app/_components/inspector/config-status-text';
import { issueHref } from '@/app/_components/issues/issue-href';
import { NameText } from '@/app/_components/name-text';
import { ConfigStatusCounts, StateCounts } from '@/app/_components/status-counts';
import { StatusMark } from '@/app/_components/status-mark';
import { V2Mark } from '@/app/_components/v2-mark';
import { WaitingSummaryText } from '@/app/_components/waiting-text';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatLocality, formatShortLocality } from '@/lib/format/locality';
import { parseName } from '@/lib/format/names/parse-name';
import { knownUntil } from '@/lib/views/client/known-until';
import type { ClientSummary, TypeSummary } from '@/lib/views/client/schema';
import type { FleetType } from '@/lib/views/fleet/build-fleet-types';
import { countBytes, countNacks } from '@/lib/views/fleet/fleet-sort';
import type { FleetClient, FleetLineRow } from '@/lib/views/fleet/schema';
import type { FleetGap } from './use-fleet-lines';

export type FleetRow = FleetLineRow | FleetGap;
type ClientColumn = DataColumn<FleetClient>;
type GroupRow = Extract<FleetLineRow, { readonly kind: 'group' }>;

/** Cells of a group row; columns that are missing here stay empty. */
const groupCells: Readonly<Record<string, (group: GroupRow) => ReactNode>> = {
  status: ({ counts }) => <StatusMark status={counts.worst ?? 'UNKNOWN'} word={false} sizePx={14} />,
  client: (group) => <GroupHead group={group} />,
  trouble: ({ counts }) =>
    counts.inTrouble === 0 ? (
      <NotReported why="no trouble" />
    ) : (
      `${formatCounted(counts.inTrouble, 'client')} in trouble`
    ),
  nacks: ({ counts }) => (counts.nackedResources === 0 ? null : formatCount(counts.nackedResources)),
  seen: ({ counts }) => <GroupFreshness counts={counts} />,
};

function GroupFreshness({ counts: { clients, live, ofFiles } }: Pick<GroupRow, 'counts'>) {
  if (ofFiles === clients) return <span className="text-muted">file</span>;
  return live + ofFiles === clients ? 'live' : `${formatCount(live)} live`;
}

/** The server sorts, so `sortValue` only marks a column as sortable. */
function ofRows({ nameOf, ...column }: ClientColumn): DataColumn<FleetRow> {
  return {
    ...column,
    ...(nameOf && { nameOf: (row) => (row.kind === 'client' ? nameOf(row.client) : undefined) }),
    sortValue: () => null,
    cell: (row) => {
      if (row.kind === 'client') return column.cell(row.client);
      if (row.kind === 'group') return groupCells[column.id]?.(row) ?? null;
      return column.id === 'client' ? <span className="text-muted">…</span> : null;
    },
  };
}

function GroupHead({ group: { value, counts, isOpen } }: { readonly group: GroupRow }) {
  return (
    <span className="flex min-w-0 items-center gap-2 font-medium">
      <span aria-hidden="true" className="w-3 text-muted">
        {isOpen ? '▾' : '▸'}
      </span>
      {value === '' ? <span className="text-muted">not reported</span> : <NameText name={value} />}
      <span className="note whitespace-nowrap">
        {formatCounted(counts.clients, 'client')}
        <span className="sr-only">
          , {isOpen ? 'open' : 'closed'}: Enter {isOpen ? 'closes' : 'opens'}
        </span>
      </span>
    </span>
  );
}

/**
 * One column per resource type; a second line in each cell has the counts of control planes. With the usual five types all
 * columns fit into 1440 px.
 */
export function buildFleetColumns(types: readonly FleetType[]): DataColumn<FleetRow>[] {
  return [
    statusColumn,
    clientColumn,
    ...types.map(typeColumn),
    nacksColumn,
    troubleColumn,
    localityColumn,
    agentColumn,
    versionColumn,
    sizeColumn,
    changedColumn,
    seenColumn,
  ].map(ofRows);
}

export function buildNarrowFleetColumns(): DataColumn<FleetRow>[] {
  return [statusColumn, narrowColumn, { ...changedColumn, widthPx: 92 }].map(ofRows);
}

const statusHead = <span className="sr-only">Worst status</span>;
const statusColumn: ClientColumn = column('status', statusHead, ({ worst }) => worst ?? 'UNKNOWN', {
  description:
    'The worst state of the client’s resources; degraded, if none is in trouble and the client has an open issue',
  widthPx: 44,
  as: (worst, { trouble, issues }) => (
    <StatusMark
      status={trouble === 0 && issues !== undefined ? 'DEGRADED' : worst}
      word={false}
      sizePx={14}
    />
  ),
});

const clientColumn: ClientColumn = column('client', 'Client', ({ nodeId }) => nodeId, {
  description: 'Node id, and the client’s scope where the process runs several xDS clients (gRFC A71)',
  widthPx: 208,
  nameOf: ({ nodeId }) => nodeId,
  as: (_, client) => <ClientLink client={client} />,
});

const targetsTitle =
  'gRFC A71: a gRPC process has an XdsClient with its own ADS stream for each target, and one for its servers';

function ClientLink({ client }: { readonly client: FleetClient }) {
  return (
    <div className="flex min-w-0 flex-col">
      <span className="flex min-w-0 flex-wrap items-center gap-x-1.5">
        <Link href={`/clients/${client.id}`} className="min-w-0 font-medium link-hover">
          <NameText name={client.nodeId} />
        </Link>
        {isV2(client) && <Tag title="Some of its resources use the v2 API (envoy.api.v2)">v2</Tag>}
        {client.isProbe && <Tag title="xdscope’s own xDS client">probe</Tag>}
        {client.duplicateNodeId && (
          <Tag title="Several sources report different configs under this node ID, or several processes use it">
            duplicate node ID
          </Tag>
        )}
      </span>
      <NodePlace nodeId={client.nodeId} />
      {client.scope !== '' && (
        <span className="flex min-w-0 gap-x-1.5 note">
          <NameText name={client.scope} className="min-w-0" />
          {client.scopesOfProcess !== undefined && (
            <span
              className="shrink-0"
              title={`One of ${formatCounted(client.scopesOfProcess, 'target')} of its process. ${targetsTitle}`}
            >
              1 of {client.scopesOfProcess}
            </span>
          )}
        </span>
      )}
      {client.scopesReported !== undefined && (
        <span
          title="Control planes and load reports identify only the node, so that this row is the whole process. Its targets have rows of their own (gRFC A71)"
          className="truncate note"
        >
          whole process, {formatCounted(client.scopesReported, 'target')}
        </span>
      )}
    </div>
  );
}

/** Shows what distinguishes proxies of one workload name, as a node ID of Istio states it: "sidecar 10.1.0.1". */
function NodePlace({ nodeId }: { readonly nodeId: string }) {
  const { nodeKind, address } = parseName(nodeId) ?? {};
  if (nodeKind === undefined || address === undefined) return null;
  return (
    <span className="note">
      {nodeKind} <span className="font-mono">{address}</span>
    </span>
  );
}

function Tag({ children, title }: { readonly children: string; readonly title: string }) {
  return (
    <span title={title} className="shrink-0 rounded border border-line px-1 text-tiny leading-4 text-muted">
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

function typeColumn({ typeUrl, label, description }: FleetType): ClientColumn {
  return {
    id: label.toLowerCase(),
    header: label,
    description: `${description}: as the client reports it; below it, as the control plane reports it`,
    widthPx: 90,
    sortsDescendingFirst: true,
    cell: (client) => {
      const type = findType(client, typeUrl);
      if (type === undefined || (type.total === 0 && type.sync === undefined))
        return <NotReported why="none" />;
      return (
        <div className="flex min-w-0 flex-col">
          <span className="flex items-center gap-1.5">
            {type.total === 0 ? <NotReported why="none" /> : <StateCounts counts={type.byState} />}
            {type.v2 !== undefined && (
              <V2Mark text={`${type.v2} of ${type.total} in the v2 API (envoy.api.v2)`} />
            )}
          </span>
          {Object.keys(type.byConfigStatus).length > 0 && (
            <span className="text-tiny leading-4">
              <ConfigStatusCounts counts={type.byConfigStatus} />
            </span>
          )}
          {Object.keys(type.byConfigStatus).length === 0 && type.sync !== undefined && (
            <span className="truncate text-tiny leading-4">
              <ConfigStatusName status={type.sync} />
            </span>
          )}
        </div>
      );
    },
  };
}

const troubleColumn: ClientColumn = {
  id: 'trouble',
  header: 'Trouble',
  description:
    'The newest error: why a resource was rejected, or which one is missing. Without an error, its open issues, or the resource that is awaited longest',
  widthPx: 100,
  grows: true,
  sortsDescendingFirst: true,
  cell: (client) => {
    const { troubleText, trouble } = client;
    if (trouble === 0)
      return client.issues === undefined ? <Waits client={client} /> : <Issues client={client} />;
    return (
      <p className="line-clamp-2 text-small leading-snug break-words" title={troubleText}>
        {troubleText === '' ? 'no error message reported' : troubleText}
      </p>
    );
  },
};

function Issues({ client: { issues = [] } }: { readonly client: FleetClient }) {
  return (
    <p className="line-clamp-2 text-small leading-snug break-words">
      {issues.map(({ id, title }, index) => (
        <Fragment key={id}>
          {index > 0 && '; '}
          <Link href={issueHref(id)} className="link-hover">
            {title}
          </Link>
        </Fragment>
      ))}
    </p>
  );
}

function Waits({ client }: { readonly client: FleetClient }) {
  if (client.waiting === undefined)
    return <NotReported why="no resource is in trouble, and no open issue is known" />;
  return (
    <p className="line-clamp-2 text-small leading-snug break-words text-timeout">
      <LongestWait client={client} />
    </p>
  );
}

function LongestWait({ client }: { readonly client: FleetClient }) {
  const [waiting] = client.waiting ?? [];
  return (
    waiting && <WaitingSummaryText waiting={waiting} until={knownUntil(client)} className="text-timeout" />
  );
}

const nacksColumn: ClientColumn = column('nacks', 'NACKs', (client) => countNacks(client) || null, {
  description: 'Resources that the client currently rejects',
  why: 'no source reports a rejection',
  align: 'right',
  widthPx: 72,
  sortsDescendingFirst: true,
  as: (nacks) => <span className="text-nacked">{formatCount(nacks)}</span>,
});

const versionColumn: ClientColumn = {
  id: 'version',
  header: 'Version',
  description: 'One of the versions in use; +n: the number of others',
  widthPx: 72,
  cell: ({ types }) => {
    const versions = [...new Set(types.flatMap((type) => type.versions))];
    const [first] = versions;
    if (first === undefined) return <NotReported />;
    return (
      <span className="flex min-w-0 flex-wrap gap-x-1 text-small" title={versions.join(', ')}>
        <NameText name={first} className="min-w-0" />
        {versions.length > 1 && <span className="shrink-0 text-muted">+{versions.length - 1}</span>}
      </span>
    );
  },
};

const sizeColumn: ClientColumn = column('size', 'Size', countBytes, {
  as: 'bytes',
  description: 'Bytes of all reported resources',
  widthPx: 72,
});

const localityColumn: ClientColumn = column(
  'locality',
  'Locality',
  (client) => formatLocality(client.locality),
  {
    description: 'Region / zone / sub-zone of the node',
    widthPx: 96,
    as: (whole, { locality }) => (
      <span className="block truncate" title={whole}>
        {formatShortLocality(locality)}
      </span>
    ),
  },
);

const agentColumn: ClientColumn = column('agent', 'User agent', ({ userAgent }) => userAgent || null, {
  widthPx: 110,
  as: (userAgent) => (
    <span className="line-clamp-2 leading-snug wrap-anywhere note" title={userAgent}>
      {userAgent}
    </span>
  ),
});

const changedColumn: ClientColumn = column('changed', 'Changed', ({ lastChangedAt }) => lastChangedAt, {
  as: 'ago',
  description: 'Last time any resource or status of the client changed',
});

const seenColumn: ClientColumn = {
  id: 'seen',
  header: 'State',
  description:
    'live: in the newest response of its source. file: imported. stale, gone: the tooltip states the reason',
  align: 'right',
  widthPx: 64,
  cell: (client) => <FreshnessMark client={client} />,
};

const narrowColumn: ClientColumn = {
  id: 'client',
  header: 'Client',
  widthPx: 200,
  grows: true,
  cell: (client) => (
    <div className="min-w-0">
      <div className="flex min-w-0 items-center gap-1.5">
        <Link href={`/clients/${client.id}`} className="min-w-0 font-medium">
          <NameText name={client.nodeId} />
        </Link>
        {isV2(client) && <V2Mark text="Some of its resources use the v2 API (envoy.api.v2)" />}
      </div>
      <div className="truncate note">
        {client.troubleText !== '' ? (
          client.troubleText
        ) : client.issues !== undefined ? (
          client.issues.map(({ title }) => title).join('; ')
        ) : client.waiting !== undefined ? (
          <LongestWait client={client} />
        ) : (
          formatCounted(client.resources, 'resource')
        )}
      </div>
    </div>
  ),
};
