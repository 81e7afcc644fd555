import Link from 'next/link';
import { timeColumn } from '@/app/_components/columns';
import type { LoadRow } from '@/lib/api/schema';
import { formatCount } from '@/lib/format/count';
import { formatDuration } from '@/lib/format/duration';
import { formatLocality, formatShortLocality } from '@/lib/format/locality';
import { NotReported } from '../../_components/bytes-text';
import type { DataColumn } from '../../_components/data-column';
import { NameText } from '../../_components/name-text';

type LoadColumn = DataColumn<LoadLine>;

/** grpc-go sends the largest int64 in its first report. */
const absurdIntervalMs = 86_400_000;

const okColumn = rateColumn(
  'successful',
  'OK / s',
  'Calls per second that succeeded, over the newest report',
  ({ load }) => (load === null ? null : load.successfulPerSecond),
);

const shareColumn: LoadColumn = {
  id: 'share',
  header: 'Errors',
  description: 'Share of calls that failed, over the newest report',
  align: 'right',
  widthPx: 84,
  sortsDescendingFirst: true,
  sortValue: errorShare,
  cell: (line) => {
    const share = errorShare(line);
    if (share === null) return <NotReported />;
    return <span className={share > 0 ? 'text-nacked' : undefined}>{(share * 100).toFixed(1)}%</span>;
  },
};

export const loadColumns: readonly LoadColumn[] = [
  {
    id: 'client',
    header: 'Client',
    widthPx: 170,
    grows: true,
    sortValue: ({ row }) => row.nodeId,
    cell: ({ row }) => (
      <Link href={`/clients/${row.clientId}`} className="link-hover">
        <NameText name={row.nodeId} />
      </Link>
    ),
  },
  {
    id: 'cluster',
    header: 'Cluster',
    description: 'The cluster, and below it the EDS service name where the two differ',
    widthPx: 190,
    grows: true,
    sortValue: ({ row }) => row.clusterName,
    cell: ({ row }) => (
      <div className="min-w-0">
        <NameText name={row.clusterName} />
        {row.clusterServiceName !== '' && row.clusterServiceName !== row.clusterName && (
          <div className="note leading-4">
            <NameText name={row.clusterServiceName} />
          </div>
        )}
      </div>
    ),
  },
  {
    id: 'locality',
    header: 'Locality',
    widthPx: 130,
    sortValue: ({ load }) => (load === null ? null : formatLocality(load.locality)),
    cell: ({ load }) =>
      load === null ? (
        <NotReported why="no locality reported" />
      ) : (
        <span title={formatLocality(load.locality)}>{formatShortLocality(load.locality)}</span>
      ),
  },
  {
    id: 'priority',
    header: 'Prio',
    description: 'Priority of the locality; 0 is used first',
    align: 'right',
    widthPx: 64,
    sortValue: ({ load }) => load?.priority ?? null,
    cell: ({ load }) => (load === null ? <NotReported /> : load.priority),
  },
  okColumn,
  rateColumn('errors', 'Errors / s', 'Calls per second that failed, over the newest report', ({ load }) =>
    load === null ? null : load.errorsPerSecond,
  ),
  shareColumn,
  {
    id: 'progress',
    header: 'In flight',
    description: 'Calls in progress at the moment of the report',
    align: 'right',
    widthPx: 88,
    sortsDescendingFirst: true,
    sortValue: ({ load }) => (load === null ? null : Number(load.inProgress)),
    cell: ({ load }) => (load === null ? <NotReported /> : formatCount(load.inProgress)),
  },
  {
    id: 'total',
    header: 'OK + errors',
    description: 'Calls since the first report',
    align: 'right',
    widthPx: 124,
    sortsDescendingFirst: true,
    sortValue: ({ load }) => (load === null ? null : Number(load.successful) + Number(load.errors)),
    cell: ({ load }) =>
      load === null ? (
        <NotReported />
      ) : (
        <span className="text-muted">
          {formatCount(load.successful)} + {formatCount(load.errors)}
        </span>
      ),
  },
  {
    id: 'dropped',
    header: 'Dropped',
    description: 'Calls dropped on purpose since the first report; the tooltip lists categories',
    align: 'right',
    widthPx: 92,
    sortsDescendingFirst: true,
    sortValue: ({ row }) => Number(row.totalDropped),
    cell: ({ row }) => (
      <span title={row.dropped.map(({ category, count }) => `${category}: ${count}`).join('\n')}>
        {formatCount(row.totalDropped)}
      </span>
    ),
  },
  {
    id: 'interval',
    header: 'Interval',
    description: 'Interval of the newest report, as reported by the client',
    align: 'right',
    widthPx: 88,
    sortValue: ({ row }) => row.intervalMs,
    cell: ({ row }) => {
      if (row.intervalMs === null) return <NotReported />;
      if (row.intervalMs > absurdIntervalMs) return <span className="text-timeout">implausible</span>;
      return formatDuration(row.intervalMs);
    },
  },
  timeColumn(({ row }) => row.lastReportAt, { id: 'age', header: 'Reported', widthPx: 98 }),
];

export const narrowLoadColumns: readonly LoadColumn[] = [
  {
    id: 'client',
    header: 'Client, cluster, locality',
    widthPx: 190,
    grows: true,
    sortValue: ({ row }) => row.nodeId,
    cell: ({ row, load }) => (
      <div className="min-w-0">
        <Link href={`/clients/${row.clientId}`} className="block">
          <NameText name={row.nodeId} />
        </Link>
        <p className="truncate note">
          {row.clusterName}
          {load !== null && ` in ${formatShortLocality(load.locality)}`}
        </p>
      </div>
    ),
  },
  okColumn,
  shareColumn,
];

function rateColumn(
  id: string,
  header: string,
  description: string,
  rateOf: (line: LoadLine) => number | null,
): LoadColumn {
  return {
    id,
    header,
    description,
    align: 'right',
    widthPx: 96,
    sortsDescendingFirst: true,
    sortValue: rateOf,
    cell: (line) => {
      const rate = rateOf(line);
      return rate === null ? <NotReported /> : rate.toFixed(rate < 100 ? 1 : 0);
    },
  };
}

function errorShare({ load }: LoadLine): number | null {
  if (load === null || load.successfulPerSecond === null || load.errorsPerSecond === null) return null;
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
