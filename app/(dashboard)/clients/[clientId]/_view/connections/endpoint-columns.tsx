import { NotReported } from '@/app/_components/bytes-text';
import type { DataColumn } from '@/app/_components/data-column';
import { NameText } from '@/app/_components/name-text';
import { timeAgoColumnPx } from '@/app/_components/time-ago';
import type { ConnectionFiguresAnswer, ConnectionRow } from '@/lib/api/connections';
import { formatCount } from '@/lib/format/count';
import { shortError } from '@/lib/view-model/connections/describe-disagreement';
import { AbsenceText, ConnectionState, DisagreementText, SinceText } from './connection-state';

/** `at`: the moment of the view; null: now. */
export function buildEndpointColumns(at: string | null): readonly DataColumn<ConnectionRow>[] {
  return [
    clusterColumn,
    priorityColumn,
    localityColumn,
    endpointColumn,
    stateColumn,
    sinceColumn,
    errorColumn(at),
    ...figureColumns,
    healthColumn,
    weightColumn,
  ];
}

export function buildNarrowEndpointColumns(at: string | null): readonly DataColumn<ConnectionRow>[] {
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
          <span className="note flex min-w-0 gap-2">
            <NameText name={row.cluster} />
            <span className="whitespace-nowrap">
              {row.priority === null ? 'not in the config' : `P${row.priority}`} · {row.locality}
            </span>
          </span>
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
  cell: ({ cluster, sharedWith }) => (
    <span className="flex min-w-0 items-baseline gap-1.5">
      {cluster === '' ? (
        <NotReported why="the address is in no cluster of the config" />
      ) : (
        <NameText name={cluster} />
      )}
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
  cell: ({ address }) => <NameText name={address} />,
};

const stateColumn: DataColumn<ConnectionRow> = {
  id: 'state',
  header: 'State',
  description:
    'Connectivity state of the subchannel. TRANSIENT_FAILURE lasts until a connection is made (gRFC A62).',
  widthPx: 164,
  sortValue: ({ connection }) => connection?.state ?? null,
  cell: ({ connection, absence }) =>
    connection === null ? (
      <AbsenceText absence={absence ?? 'not-reported'} />
    ) : (
      <ConnectionState connection={connection} />
    ),
};

const sinceColumn: DataColumn<ConnectionRow> = {
  id: 'since',
  header: 'Since',
  widthPx: timeAgoColumnPx,
  sortValue: ({ connection }) => connection?.since ?? null,
  cell: ({ connection }) => <SinceText connection={connection} />,
};

function errorColumn(at: string | null): DataColumn<ConnectionRow> {
  return {
    id: 'error',
    header: 'Last error',
    widthPx: 170,
    grows: true,
    cell: (row) => {
      if (row.disagreement !== null) return <DisagreementText row={row} at={at} />;
      const { connection, excludedBecause } = row;
      if (excludedBecause !== '') return <span className="truncate">{excludedBecause}</span>;
      if (connection === null || connection.failingSince === null) return null;
      if (connection.lastError === '')
        return <NotReported why="this client reports no errors of its connections" />;
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
    description: 'Streams that are open now',
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
