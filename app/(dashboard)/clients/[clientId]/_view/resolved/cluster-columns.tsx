import { NotReported } from '@/app/_components/bytes-text';
import type { DataColumn } from '@/app/_components/data-column';
import { NameText } from '@/app/_components/name-text';
import { StatusMark } from '@/app/_components/status-mark';
import { V2Mark } from '@/app/_components/v2-mark';
import type { ResolvedCluster } from '@/lib/api/resolved';
import { formatCount } from '@/lib/format/count';
import type { ResolvedClusterStatus } from '@/lib/resolve/xds-config';

const shapes = { ok: 'HEALTHY', error: 'NACKED', waiting: 'TIMEOUT', unknown: 'UNKNOWN' } as const;
const words = { ok: 'ok', error: 'fails', waiting: 'waits', unknown: 'not known' } as const;

export function ClusterStatusMark({ status }: { readonly status: ResolvedClusterStatus }) {
  return <StatusMark status={shapes[status]} word={words[status]} />;
}

export function formatClusterKind({ kind, endpointsResource }: ResolvedCluster): string {
  switch (kind) {
    case 'endpoints':
      return endpointsResource === null ? 'endpoints' : 'EDS';
    case 'dns':
      return 'DNS';
    case 'aggregate':
      return 'aggregate';
    case 'other':
      return 'other';
    case 'unknown':
      return '';
  }
}

/** In the order in which routes refer to them; a single page cannot be sorted. */
const name: DataColumn<ResolvedCluster> = {
  id: 'name',
  header: 'Name',
  widthPx: 190,
  grows: true,
  cell: (row) => (
    <span className="flex min-w-0 items-center gap-1.5">
      <NameText name={row.name} copy />
      {(row.resource ?? row.endpointsResource)?.apiVersion === 'v2' && <V2Mark />}
    </span>
  ),
};
const status: DataColumn<ResolvedCluster> = {
  id: 'status',
  header: 'Status',
  description:
    'fails: RPCs to this cluster fail; waits: a resource is missing; not known: the client may not run it',
  widthPx: 104,
  cell: (row) => <ClusterStatusMark status={row.status} />,
};
const kind: DataColumn<ResolvedCluster> = {
  id: 'kind',
  header: 'Kind',
  widthPx: 88,
  cell: (row) => formatClusterKind(row) || <NotReported why="not known" />,
};
const policy: DataColumn<ResolvedCluster> = {
  id: 'policy',
  header: 'LB policy',
  widthPx: 148,
  cell: ({ lbPolicies }) => (
    <span className="block truncate" title={lbPolicies.join(' > ')}>
      {lbPolicies.join(' > ')}
    </span>
  ),
};
const usedBy: DataColumn<ResolvedCluster> = {
  id: 'used-by',
  header: 'Used by',
  widthPx: 100,
  grows: true,
  cell: ({ usedBy: [first], usedByTotal }) => (
    <span className="block truncate text-muted" title={first?.by}>
      {first?.by}
      {usedByTotal > 1 && ` and ${formatCount(usedByTotal - 1)} more`}
    </span>
  ),
};
const priorities: DataColumn<ResolvedCluster> = {
  id: 'priorities',
  header: 'Priorities',
  widthPx: 88,
  align: 'right',
  cell: (row) => countOf(row, row.use.priorities),
};
const localities: DataColumn<ResolvedCluster> = {
  id: 'localities',
  header: 'Localities',
  widthPx: 88,
  align: 'right',
  cell: (row) => countOf(row, row.use.localities),
};
const endpoints: DataColumn<ResolvedCluster> = {
  id: 'endpoints',
  header: 'Usable / all',
  description: 'Endpoints that can receive requests, of all reported ones',
  widthPx: 104,
  align: 'right',
  cell: (row) =>
    row.kind === 'endpoints' ? (
      <span className={row.use.usable === 0 ? 'text-nacked' : ''}>
        {formatCount(row.use.usable)} <span className="text-muted">/ {formatCount(row.use.endpoints)}</span>
      </span>
    ) : row.kind === 'aggregate' ? (
      <span className="text-muted">{formatCount(row.leafClusters.length)} leaves</span>
    ) : (
      <NotReported why="unknown: resolved by the client" />
    ),
};

export const clusterColumns = [name, status, kind, policy, priorities, localities, endpoints, usedBy];

export const narrowClusterColumns = [
  { ...name, widthPx: 120 },
  { ...status, widthPx: 104 },
  { ...endpoints, header: 'Usable', widthPx: 86 },
];

function countOf({ kind: ofKind }: ResolvedCluster, count: number) {
  return ofKind === 'endpoints' ? formatCount(count) : <NotReported why="no endpoints of its own" />;
}

/** The detail line: why RPCs fail, or why there are no endpoints. */
export function clusterDetail({
  error,
  resolutionNote,
  missing,
  status: ofCluster,
  resource,
  endpointsResource,
}: ResolvedCluster) {
  const [first] = missing;
  const waits = ofCluster === 'waiting' ? 'waits for ' : '';
  const lacks = first === undefined ? '' : `${waits}${first.service} ${first.name}: ${first.text}`;
  const doubt = resource?.doubt ?? endpointsResource?.doubt ?? '';
  const text = error || lacks || doubt || resolutionNote;
  if (text === '') return null;
  return <p className="line-clamp-3 note break-words">{text}</p>;
}
