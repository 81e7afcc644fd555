import Link from 'next/link';
import { column } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { NameText } from '@/app/_components/name-text';
import { formatCount } from '@/lib/format/count';
import { formatDuration } from '@/lib/format/duration';
import { formatLocality, formatShortLocality } from '@/lib/format/locality';
import type { LoadRow } from '@/lib/views/load/rows-schema';

type LoadColumn = DataColumn<LoadLine>;

/** grpc-go sends the largest int64 in its first report. */
const absurdIntervalMs = 86_400_000;

const rate = {
  ...({ align: 'right', sortsDescendingFirst: true } as const),
  as: (value: number) => value.toFixed(value < 100 ? 1 : 0),
};

const okColumn: LoadColumn = column('successful', 'OK / s', ({ load }) => load?.successfulPerSecond, {
  ...rate,
  description: 'Calls per second that succeeded, over the newest report',
});

const shareColumn: LoadColumn = column('share', 'Errors', errorShare, {
  ...rate,
  widthPx: 84,
  description: 'Share of calls that failed, over the newest report',
  as: (share) => <span className={share > 0 ? 'text-nacked' : undefined}>{(share * 100).toFixed(1)}%</span>,
});

export const loadColumns: readonly LoadColumn[] = [
  column('client', 'Client', ({ row }) => row.nodeId, {
    widthPx: 170,
    grows: true,
    as: (nodeId, { row }) => (
      <Link href={`/clients/${row.clientId}`} className="link-hover">
        <NameText name={nodeId} />
      </Link>
    ),
  }),
  column('cluster', 'Cluster', ({ row }) => row.clusterName, {
    description: 'The cluster, and below it the EDS service name where the two differ',
    widthPx: 190,
    grows: true,
    as: (clusterName, { row: { clusterServiceName } }) => (
      <div className="min-w-0">
        <NameText name={clusterName} />
        {clusterServiceName !== '' && clusterServiceName !== clusterName && (
          <div className="note leading-4">
            <NameText name={clusterServiceName} />
          </div>
        )}
      </div>
    ),
  }),
  column('locality', 'Locality', ({ load }) => load && formatLocality(load.locality), {
    widthPx: 130,
    why: 'no locality reported',
    as: (whole, { load }) => <span title={whole}>{load && formatShortLocality(load.locality)}</span>,
  }),
  column('priority', 'Prio', ({ load }) => load?.priority, {
    description: 'Priority of the locality; 0 is used first',
    align: 'right',
    widthPx: 64,
  }),
  okColumn,
  column('errors', 'Errors / s', ({ load }) => load?.errorsPerSecond, {
    ...rate,
    description: 'Calls per second that failed, over the newest report',
  }),
  shareColumn,
  column('progress', 'In flight', ({ load }) => load?.inProgress, {
    as: 'count',
    description: 'Calls in progress at the moment of the report',
    widthPx: 88,
  }),
  column('total', 'OK + errors', ({ load }) => load && Number(load.successful) + Number(load.errors), {
    ...rate,
    description: 'Calls since the first report',
    widthPx: 124,
    as: (_, { load }) => (
      <span className="text-muted">
        {formatCount(load?.successful ?? 0)} + {formatCount(load?.errors ?? 0)}
      </span>
    ),
  }),
  column('dropped', 'Dropped', ({ row }) => Number(row.totalDropped), {
    description: 'Calls dropped on purpose since the first report; the tooltip lists categories',
    ...rate,
    widthPx: 92,
    as: (_, { row }) => (
      <span title={row.dropped.map(({ category, count }) => `${category}: ${count}`).join('\n')}>
        {formatCount(row.totalDropped)}
      </span>
    ),
  }),
  column('interval', 'Interval', ({ row }) => row.intervalMs, {
    description: 'Interval of the newest report, as reported by the client',
    align: 'right',
    widthPx: 88,
    as: (intervalMs) =>
      intervalMs > absurdIntervalMs ? (
        <span className="text-timeout">implausible</span>
      ) : (
        formatDuration(intervalMs)
      ),
  }),
  column('age', 'Reported', ({ row }) => row.lastReportAt, { as: 'ago', widthPx: 98 }),
];

export const narrowLoadColumns: readonly LoadColumn[] = [
  column('client', 'Client, cluster, locality', ({ row }) => row.nodeId, {
    widthPx: 190,
    grows: true,
    as: (nodeId, { row, load }) => (
      <div className="min-w-0">
        <Link href={`/clients/${row.clientId}`} className="block">
          <NameText name={nodeId} />
        </Link>
        <p className="truncate note">
          {row.clusterName}
          {load !== null && ` in ${formatShortLocality(load.locality)}`}
        </p>
      </div>
    ),
  }),
  okColumn,
  shareColumn,
];

function errorShare({ load }: LoadLine): number | null {
  if (load === null || load.successfulPerSecond === undefined || load.errorsPerSecond === undefined)
    return null;
  const all = load.successfulPerSecond + load.errorsPerSecond;
  return all === 0 ? null : load.errorsPerSecond / all;
}

type LocalityLoad = LoadRow['localities'][number];

/** One row: a locality of a cluster of a client; without a locality, a cluster that only reported drops. */
export interface LoadLine {
  readonly id: string;
  readonly row: LoadRow;
  readonly load: LocalityLoad | null;
}

export function buildLoadLines(rows: readonly LoadRow[]): LoadLine[] {
  return rows.flatMap((row): LoadLine[] => {
    const { clientId, clusterName, clusterServiceName } = row;
    const cluster = [clientId, clusterName, clusterServiceName];
    if (row.localities.length === 0) return [{ id: JSON.stringify(cluster), row, load: null }];
    return row.localities.map((load) => {
      const { region, zone, subZone } = load.locality;
      return { id: JSON.stringify([...cluster, region, zone, subZone, load.priority]), row, load };
    });
  });
}
