import { NotReported } from '@/app/_components/bytes-text';
import type { DataColumn } from '@/app/_components/data-column';
import { NameText } from '@/app/_components/name-text';
import { timeAgoColumnPx } from '@/app/_components/time-ago';
import type { ConnectionFiguresAnswer, ConnectionRow } from '@/lib/api/connections';
import { formatCount } from '@/lib/format/count';
import { shortError } from '@/lib/view-model/connections/describe-disagreement';
import { AbsenceText, ConnectionState, DisagreementText, SinceText } from './connection-state';

export interface EndpointColumnsOf {
  /** The moment of the view; null: now. */
  readonly at: string | null;
  /** Headings have the cluster, priority and locality. */
  readonly isGrouped: boolean;
  /** An Envoy reports the connections: those of its hosts. */
  readonly isOfHosts: boolean;
}

export function buildEndpointColumns({
  at,
  isGrouped,
  isOfHosts,
}: EndpointColumnsOf): readonly DataColumn<ConnectionRow>[] {
  return [
    ...(isGrouped ? [] : [clusterColumn, priorityColumn, localityColumn]),
    endpointColumn,
    isOfHosts ? hostStateColumn : stateColumn,
    sinceColumn,
    errorColumn(at, isOfHosts),
    ...(isOfHosts ? hostFigureColumns : figureColumns),
    healthColumn,
    weightColumn,
  ];
}

export function buildNarrowEndpointColumns({
  at,
  isGrouped,
}: EndpointColumnsOf): readonly DataColumn<ConnectionRow>[] {
  return [
    {
      ...endpointColumn,
      grows: true,
      cell: (row) => (
        <span className="flex min-w-0 flex-col gap-0.5 py-1">
          <span className="flex min-w-0 items-baseline gap-2">
            {endpointColumn.cell(row)}
            <span className="ml-auto">{stateColumn.cell(row)}</span>
          </span>
          {!isGrouped && (
            <span className="note flex min-w-0 gap-2">
              <NameText name={row.cluster} />
              <span className="whitespace-nowrap">
                {row.priority === null ? 'not in the config' : `P${row.priority}`} · {row.locality}
              </span>
            </span>
          )}
          <span className="text-small">
            <DisagreementText row={row} at={at} />
          </span>
        </span>
      ),
    },
  ];
}

const clusterColumn: DataColumn<ConnectionRow> = {
  id: 'cluster',
  header: 'Cluster',
  widthPx: 130,
  grows: true,
  sortValue: ({ cluster }) => cluster,
  cell: ({ cluster }) =>
    cluster === '' ? (
      <NotReported why="the address is in no cluster of the config" />
    ) : (
      <NameText name={cluster} />
    ),
};

const priorityColumn: DataColumn<ConnectionRow> = {
  id: 'priority',
  header: 'P',
  description: 'Priority: 0 is the highest',
  widthPx: 40,
  align: 'right',
  cell: ({ priority }) =>
    priority === null ? <NotReported why="the address is in no cluster of the config" /> : priority,
};

const localityColumn: DataColumn<ConnectionRow> = {
  id: 'locality',
  header: 'Locality',
  widthPx: 110,
  cell: ({ locality }) => <span className="truncate">{locality}</span>,
};

const endpointColumn: DataColumn<ConnectionRow> = {
  id: 'endpoint',
  header: 'Endpoint',
  widthPx: 142,
  sortValue: ({ address }) => address,
  cell: ({ address, sharedWith }) => (
    <span className="flex min-w-0 items-baseline gap-1.5">
      <NameText name={address} />
      {sharedWith.length > 0 && (
        <span
          className="note whitespace-nowrap"
          title={`This address is also in ${sharedWith.join(', ')}: the client does not report which cluster a connection belongs to.`}
        >
          ambiguous
        </span>
      )}
    </span>
  ),
};

const stateColumn: DataColumn<ConnectionRow> = {
  id: 'state',
  header: 'State',
  description:
    'Connectivity state of the subchannel. TRANSIENT_FAILURE lasts until a connection is made (gRFC A62).',
  widthPx: 178,
  sortValue: ({ connection }) => connection?.state ?? null,
  cell: ({ connection, absence }) =>
    connection === null ? (
      <AbsenceText absence={absence ?? 'not-reported'} />
    ) : (
      <ConnectionState connection={connection} />
    ),
};

const hostStateColumn: DataColumn<ConnectionRow> = {
  ...stateColumn,
  description:
    'Health of the host in Envoy, by its health checks, outlier detection and EDS. CONNECT_FAILURE: attempts to connect have failed, and Envoy has sent no request to the host since.',
};

const sinceColumn: DataColumn<ConnectionRow> = {
  id: 'since',
  header: 'Since',
  // With the word "before".
  widthPx: timeAgoColumnPx + 48,
  sortValue: ({ connection }) => connection?.since ?? null,
  cell: ({ connection }) => <SinceText connection={connection} />,
};

function errorColumn(at: string | null, isOfHosts: boolean): DataColumn<ConnectionRow> {
  return {
    id: 'error',
    header: isOfHosts ? 'Reason' : 'Last error',
    description: 'Sorts disagreements first',
    sortValue: ({ disagreement }) => disagreement,
    widthPx: isOfHosts ? 150 : 170,
    grows: true,
    cell: (row) => {
      if (row.disagreement !== null) return <DisagreementText row={row} at={at} />;
      const { connection, excludedBecause } = row;
      if (excludedBecause !== '') return <span className="truncate">{excludedBecause}</span>;
      if (connection === null || connection.failingSince === null) return null;
      if (connection.lastError === '')
        return isOfHosts && connection.state === 'EJECTED' ? null : (
          <NotReported why="this client reports no errors of its connections" />
        );
      return (
        <span className="truncate" title={connection.lastError}>
          {shortError(connection.lastError)}
        </span>
      );
    },
  };
}

function figureColumn(
  id: string,
  header: string,
  read: (figures: ConnectionFiguresAnswer) => number | null,
  { widthPx = 68, description = '', digits = 0, sortsAs = true } = {},
): DataColumn<ConnectionRow> {
  return {
    ...{ id, header, widthPx, align: 'right' },
    ...(description !== '' && { description }),
    ...(sortsAs && {
      sortValue: ({ connection }) => (connection?.figures ? read(connection.figures) : null),
    }),
    sortsDescendingFirst: true,
    cell: ({ connection }) => {
      const value = connection?.figures ? read(connection.figures) : null;
      if (value === null) return <NotReported />;
      return (
        <span className="tabular-nums">{digits === 0 ? formatCount(value) : value.toFixed(digits)}</span>
      );
    },
  };
}

/** `read`: of the counts that only Envoy reports. */
function hostFigureColumn(
  id: string,
  header: string,
  read: (figures: NonNullable<ConnectionFiguresAnswer['ofHost']>) => number | null,
  how: { readonly widthPx?: number; readonly description: string; readonly digits?: number },
): DataColumn<ConnectionRow> {
  const readHost = ({ ofHost }: ConnectionFiguresAnswer): number | null => ofHost && read(ofHost);
  return figureColumn(id, header, readHost, { ...how, sortsAs: false });
}

const hostFigureColumns: readonly DataColumn<ConnectionRow>[] = [
  hostFigureColumn('open', 'Open', ({ openConnections }) => openConnections, {
    description: 'Connections that are open now, or about to be (cx_active)',
    widthPx: 58,
  }),
  hostFigureColumn('unconnected', 'Failed conns', ({ failedConnections }) => failedConnections, {
    description: 'Attempts to connect that failed (cx_connect_fail)',
    widthPx: 100,
  }),
  figureColumn('started', 'Requests', ({ callsStarted }) => callsStarted, {
    description: 'Requests that were sent to the host (rq_total)',
    widthPx: 86,
  }),
  figureColumn('succeeded', 'OK', ({ callsSucceeded }) => callsSucceeded, {
    description: 'Requests that succeeded (rq_success)',
    widthPx: 60,
    sortsAs: false,
  }),
  figureColumn('failed', 'Failed', ({ callsFailed }) => callsFailed, {
    description: 'Requests that failed (rq_error): also those for which no connection was made',
    widthPx: 66,
  }),
  hostFigureColumn('timeouts', 'Timeouts', ({ timeouts }) => timeouts, {
    description: 'Requests that timed out (rq_timeout)',
    widthPx: 80,
  }),
  figureColumn('rate', 'Req/s', ({ callsPerSecond }) => callsPerSecond, {
    description: 'Requests per second, over the last seconds',
    digits: 1,
    widthPx: 66,
  }),
  figureColumn('streams', 'Active', ({ openStreams }) => openStreams, {
    description: 'Requests that are open now (rq_active)',
  }),
  hostFigureColumn('success', 'Success', ({ successRate }) => successRate, {
    description:
      'Success rate in per cent, as outlier detection last computed it; not reported below its minimum of requests',
    digits: 1,
    widthPx: 74,
  }),
];

const figureColumns: readonly DataColumn<ConnectionRow>[] = [
  figureColumn('started', 'Calls', ({ callsStarted }) => callsStarted, { description: 'Calls started' }),
  figureColumn('succeeded', 'OK', ({ callsSucceeded }) => callsSucceeded, {
    description: 'Calls that ended with OK',
    sortsAs: false,
  }),
  figureColumn('failed', 'Failed', ({ callsFailed }) => callsFailed, {
    description: 'Calls that ended with another status',
  }),
  figureColumn('rate', 'Calls/s', ({ callsPerSecond }) => callsPerSecond, {
    description: 'Calls started per second, over the last seconds',
    digits: 1,
  }),
  figureColumn('streams', 'Streams', ({ openStreams }) => openStreams, {
    description: 'Streams that are open, counted every five polls',
    widthPx: 80,
  }),
];

const healthColumn: DataColumn<ConnectionRow> = {
  id: 'health',
  header: 'EDS health',
  widthPx: 96,
  sortValue: ({ health }) => health,
  cell: ({ health }) => {
    if (health === null) return <NotReported why="the address is in no cluster of the config" />;
    return health === 'UNKNOWN' ? (
      <NotReported why="EDS reports no health, which counts as healthy" />
    ) : (
      health
    );
  },
};

const weightColumn: DataColumn<ConnectionRow> = {
  id: 'weight',
  header: 'Weight',
  widthPx: 72,
  align: 'right',
  sortsDescendingFirst: true,
  sortValue: ({ weight }) => weight,
  cell: ({ weight }) =>
    weight === null ? <NotReported why="not set, which counts as 1" /> : formatCount(weight),
};
