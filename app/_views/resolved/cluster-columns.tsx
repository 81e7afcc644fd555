import { NotReported } from '@/app/_components/bytes-text';
import { column, unsorted } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { NameText } from '@/app/_components/name-text';
import { StatusMark } from '@/app/_components/status-mark';
import { V2Mark } from '@/app/_components/v2-mark';
import { formatCount } from '@/lib/format/count';
import type { ResolvedClusterStatus } from '@/lib/resolve/xds-config';
import type { ResolvedCluster } from '@/lib/views/resolved/schema';

const shapes = { ok: 'HEALTHY', error: 'NACKED', waiting: 'TIMEOUT', unknown: 'UNKNOWN' } as const;
const words = { ok: 'ok', error: 'fails', waiting: 'waits', unknown: 'not known' } as const;

export function ClusterStatusMark({ status }: { readonly status: ResolvedClusterStatus }) {
  return <StatusMark status={shapes[status]} word={words[status]} />;
}

/** The status by the config, unless it is fine or not known, and requests fail as measured. */
export function ClusterStateMark({
  cluster: { status, measured, subsets = [] },
}: {
  readonly cluster: ResolvedCluster;
}) {
  if (status !== 'error' && subsets.some((each) => each.status === 'error'))
    return <StatusMark status="DEGRADED" word="some fail" />;
  const isOpen = status === 'ok' || status === 'unknown';
  if (!isOpen || measured === undefined || measured.errors === 0)
    return <ClusterStatusMark status={status} />;
  return measured.errors === measured.completed ? (
    <StatusMark status="NACKED" word="all fail" />
  ) : (
    <StatusMark status="DEGRADED" word="some fail" />
  );
}

export function formatClusterKind({ kind, endpointsResource }: ResolvedCluster): string {
  switch (kind) {
    case 'endpoints':
      return endpointsResource === undefined ? 'endpoints' : 'EDS';
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

type Column = DataColumn<ResolvedCluster>;

const name: Column = column('name', 'Name', (row) => row.name, {
  widthPx: 190,
  grows: true,
  as: (text, row) => (
    <span className="flex min-w-0 items-center gap-1.5">
      <NameText name={text} copy />
      {(row.resource ?? row.endpointsResource)?.apiVersion === 'v2' && <V2Mark />}
    </span>
  ),
});
const status: Column = column('status', 'Status', (row) => row.status, {
  description:
    'fails: RPCs to this cluster fail; waits: a resource is missing; not known: the client may not run it, or what decides is not known; all fail, some fail: requests failed lately, as measured, or some find no host in their subset',
  widthPx: 104,
  as: (_, row) => <ClusterStateMark cluster={row} />,
});
const kind: Column = column('kind', 'Kind', (row) => formatClusterKind(row) || null, {
  widthPx: 88,
  why: 'not known',
});
const policy: Column = column('policy', 'LB policy', ({ lbPolicies }) => lbPolicies.join(' > '), {
  as: 'text',
  widthPx: 148,
  grows: false,
});
const usedBy: Column = column('used-by', 'Used by', ({ usedBy: [first] }) => first?.by, {
  widthPx: 100,
  grows: true,
  why: null,
  as: (by, { usedByTotal }) => (
    <span className="block truncate text-muted" title={by}>
      {by}
      {usedByTotal > 1 && ` and ${formatCount(usedByTotal - 1)} more`}
    </span>
  ),
});
const priorities: Column = column('priorities', 'Priorities', (row) => countOf(row, row.use.priorities), {
  as: 'count',
  widthPx: 88,
  why: 'no endpoints of its own',
});
const localities: Column = column('localities', 'Localities', (row) => countOf(row, row.use.localities), {
  as: 'count',
  widthPx: 88,
  why: 'no endpoints of its own',
});
const endpoints: Column = {
  id: 'endpoints',
  header: 'Usable / all',
  description: 'Endpoints that can receive requests, of all reported ones',
  widthPx: 104,
  align: 'right',
  cell: (row) =>
    hasEndpoints(row) ? (
      <span className={row.use.usable === 0 || row.status === 'error' ? 'text-nacked' : ''}>
        {formatCount(row.use.usable)} <span className="text-muted">/ {formatCount(row.use.endpoints)}</span>
      </span>
    ) : row.kind === 'aggregate' ? (
      <span className="text-muted">{formatCount(row.leafClusters.length)} leaves</span>
    ) : (
      <NotReported why="unknown: resolved by the client" />
    ),
};

/** The clusters are in the order in which routes refer to them; a single page cannot be sorted. */
export const clusterColumns = unsorted([
  ...[name, status, kind, policy, priorities, localities, endpoints, usedBy],
]);

export const narrowClusterColumns = unsorted([
  { ...name, widthPx: 120 },
  { ...status, widthPx: 104 },
  { ...endpoints, header: 'Usable', widthPx: 86 },
]);

function countOf(row: ResolvedCluster, count: number): number | null {
  return hasEndpoints(row) ? count : null;
}

/** Of a DNS name, an Envoy may report the addresses. */
function hasEndpoints({ kind: ofKind, use: { endpoints: all } }: ResolvedCluster): boolean {
  return ofKind === 'endpoints' || (ofKind === 'dns' && all > 0);
}

/** The detail line: why RPCs fail, or why there are no endpoints. */
export function clusterDetail({
  error,
  resolutionNote,
  measured,
  notModelled,
  missing,
  status: ofCluster,
  resource,
  endpointsResource,
  subsets,
}: ResolvedCluster) {
  const [first] = missing;
  const waits = ofCluster === 'waiting' ? 'waits for ' : '';
  const lacks = first === undefined ? '' : `${waits}${first.service} ${first.name}: ${first.text}`;
  const doubt = resource?.doubt ?? endpointsResource?.doubt ?? '';
  const isKnownInPart = subsets?.some((each) => each.status === 'error');
  const notKnown =
    doubt || (notModelled === undefined ? '' : `${isKnownInPart ? '' : 'not known: '}${notModelled}`);
  const fails = measured !== undefined && measured.errors > 0;
  const open = [notKnown, measured?.text].filter(Boolean).join('; ');
  const text = error || lacks || (notKnown !== '' || fails ? open : resolutionNote);
  if (text === '') return null;
  return <p className="line-clamp-3 note break-words">{text}</p>;
}
