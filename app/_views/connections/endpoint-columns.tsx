import { NotReported } from '@/app/_components/bytes-text';
import { column } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { NameText } from '@/app/_components/name-text';
import { timeAgoColumnPx } from '@/app/_components/time-ago';
import { shortError } from '@/lib/views/connections/describe-disagreement';
import type { ConnectionFiguresAnswer, ConnectionRow } from '@/lib/views/connections/schema';
import type { EpochMs } from '@/lib/xds/units';
import { AbsenceText, ConnectionState, DisagreementText, SinceText } from './connection-state';

type EndpointColumn = DataColumn<ConnectionRow>;

interface EndpointColumnsOf {
  /** The moment of the view; null: now. */
  readonly at: EpochMs | null;
  /** Headings have the cluster, priority and locality. */
  readonly isGrouped: boolean;
  /** An Envoy reports the connections: those of its hosts. */
  readonly isOfHosts: boolean;
}

export function buildEndpointColumns({
  at,
  isGrouped,
  isOfHosts,
}: EndpointColumnsOf): readonly EndpointColumn[] {
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

export function buildNarrowEndpointColumns({ at, isGrouped }: EndpointColumnsOf): readonly EndpointColumn[] {
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
                {row.priority === undefined ? 'not in the config' : `P${row.priority}`} · {row.locality}
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

const unknownAddress = 'the address is in no cluster of the config';

const clusterColumn: EndpointColumn = column('cluster', 'Cluster', ({ cluster }) => cluster || null, {
  as: 'name',
  why: unknownAddress,
  widthPx: 130,
  grows: true,
});

const priorityColumn: EndpointColumn = column('priority', 'P', ({ priority }) => priority, {
  why: unknownAddress,
  description: 'Priority: 0 is the highest',
  align: 'right',
  widthPx: 40,
  sortValue: undefined,
});

const localityColumn: EndpointColumn = column('locality', 'Locality', ({ locality }) => locality, {
  widthPx: 110,
  sortValue: undefined,
  as: (locality) => <span className="truncate">{locality}</span>,
});

const endpointColumn: EndpointColumn = column('endpoint', 'Endpoint', ({ address }) => address, {
  widthPx: 142,
  as: (address, { sharedWith }) => (
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
});

const stateColumn: EndpointColumn = column('state', 'State', ({ connection }) => connection?.state, {
  description:
    'Connectivity state of the subchannel. TRANSIENT_FAILURE lasts until a connection is made (gRFC A62).',
  widthPx: 178,
  cell: ({ connection, absence }) =>
    connection === undefined ? (
      <AbsenceText absence={absence ?? 'not-reported'} />
    ) : (
      <ConnectionState connection={connection} />
    ),
});

const hostStateColumn: EndpointColumn = {
  ...stateColumn,
  description:
    'Health of the host in Envoy, by its health checks, outlier detection and EDS. CONNECT_FAILURE: attempts to connect have failed, and Envoy has sent no request to the host since.',
};

const sinceColumn: EndpointColumn = column('since', 'Since', ({ connection }) => connection?.since, {
  // The column is wide enough for the word "before".
  widthPx: timeAgoColumnPx + 48,
  cell: ({ connection }) => <SinceText connection={connection} />,
});

function errorColumn(at: EpochMs | null, isOfHosts: boolean): EndpointColumn {
  return column('error', isOfHosts ? 'Reason' : 'Last error', ({ disagreement }) => disagreement, {
    description: 'Sorts disagreements first',
    widthPx: isOfHosts ? 150 : 170,
    grows: true,
    cell: (row) => {
      if (row.disagreement !== undefined) return <DisagreementText row={row} at={at} />;
      const { connection, excludedBecause } = row;
      if (excludedBecause !== '') return <span className="truncate">{excludedBecause}</span>;
      if (connection === undefined || connection.failingSince === undefined) return null;
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
  });
}

const rate = (value: number) => value.toFixed(1);

/** A figure of the connection, the largest first. */
function figureColumn(
  id: string,
  header: string,
  read: (figures: ConnectionFiguresAnswer) => number | null | undefined,
  options: Pick<EndpointColumn, 'description'> & { readonly widthPx?: number; readonly as?: typeof rate },
): EndpointColumn {
  return column(id, header, ({ connection }) => connection?.figures && read(connection.figures), {
    as: 'count',
    widthPx: 68,
    align: 'right',
    sortsDescendingFirst: true,
    ...options,
  });
}

/** `read`: of the counts that only Envoy reports. The server does not sort by them. */
function hostFigureColumn(
  id: string,
  header: string,
  read: (figures: NonNullable<ConnectionFiguresAnswer['ofHost']>) => number | null | undefined,
  options: Parameters<typeof figureColumn>[3],
): EndpointColumn {
  return unsortable(figureColumn(id, header, ({ ofHost }) => ofHost && read(ofHost), options));
}

function unsortable({ sortValue: _, ...each }: EndpointColumn): EndpointColumn {
  return each;
}

const hostFigureColumns: readonly EndpointColumn[] = [
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
  unsortable(
    figureColumn('succeeded', 'OK', ({ callsSucceeded }) => callsSucceeded, {
      description: 'Requests that succeeded (rq_success)',
      widthPx: 60,
    }),
  ),
  figureColumn('failed', 'Failed', ({ callsFailed }) => callsFailed, {
    description: 'Requests that failed (rq_error): also those for which no connection was made',
    widthPx: 66,
  }),
  hostFigureColumn('timeouts', 'Timeouts', ({ timeouts }) => timeouts, {
    description: 'Requests that timed out (rq_timeout)',
    widthPx: 80,
  }),
  figureColumn('rate', 'Req/s', ({ callsPerSecond }) => callsPerSecond, {
    as: rate,
    description: 'Requests per second, over the last seconds',
    widthPx: 66,
  }),
  figureColumn('streams', 'Active', ({ openStreams }) => openStreams, {
    description: 'Requests that are open now (rq_active)',
  }),
  hostFigureColumn('success', 'Success', ({ successRate }) => successRate, {
    description:
      'Success rate in per cent, as outlier detection last computed it; not reported below its minimum of requests',
    as: rate,
    widthPx: 74,
  }),
];

const figureColumns: readonly EndpointColumn[] = [
  figureColumn('started', 'Calls', ({ callsStarted }) => callsStarted, { description: 'Calls started' }),
  unsortable(
    figureColumn('succeeded', 'OK', ({ callsSucceeded }) => callsSucceeded, {
      description: 'Calls that ended with OK',
    }),
  ),
  figureColumn('failed', 'Failed', ({ callsFailed }) => callsFailed, {
    description: 'Calls that ended with another status',
  }),
  figureColumn('rate', 'Calls/s', ({ callsPerSecond }) => callsPerSecond, {
    as: rate,
    description: 'Calls started per second, over the last seconds',
  }),
  figureColumn('streams', 'Streams', ({ openStreams }) => openStreams, {
    description: 'Streams that are open, counted every five polls',
    widthPx: 80,
  }),
];

const healthColumn: EndpointColumn = column('health', 'EDS health', ({ health }) => health, {
  widthPx: 96,
  why: unknownAddress,
  as: (health) =>
    health === 'UNKNOWN' ? <NotReported why="EDS reports no health, which counts as healthy" /> : health,
});

const weightColumn: EndpointColumn = column('weight', 'Weight', ({ weight }) => weight, {
  as: 'count',
  why: 'not set, which counts as 1',
  widthPx: 72,
});
