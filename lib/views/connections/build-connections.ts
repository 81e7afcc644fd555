import { byDescending } from '../../collections/compare';
import { compareSortValues } from '../../format/compare-names';
import type { Connection } from '../../observation/connection';
import { reportedStates } from '../../observation/connection-states';
import type { PackedFigures } from '../../observation/packed-figures';
import { type AddFigures, addFiguresOfPoll } from './connection-figures';
import { formatConnection } from './format-connection';
import type { JoinedConfig } from './join-config';
import type { JoinedRow } from './join-connections';
import { joinListeners } from './join-listeners';
import type { ChannelRow, ConnectionsPage, ConnectionsQuery } from './schema';
import type { endpointSortColumns } from './sort-columns';

export interface ConnectionsInput {
  readonly joined: JoinedConfig;
  /** The figures of the newest poll; null: each connection has those of its own last change. */
  readonly figures: PackedFigures | null;
  /** Addresses of the client's management servers, and the client's own addresses of its streams to them. */
  readonly serverAddresses: readonly string[];
  /** See servesAnyAddress(). */
  readonly servesAnyAddress: boolean;
}

export type ConnectionsContent = Pick<
  ConnectionsPage,
  'channels' | 'servers' | 'listeners' | 'counts' | 'endpoints' | 'hasOutlierDetection'
>;

const mostListeners = 50;
const mostAddresses = 10;

/** Lists the connections of a client, beside its config. */
export function buildConnections(
  { joined, figures, serverAddresses, servesAnyAddress }: ConnectionsInput,
  query: ConnectionsQuery,
): ConnectionsContent {
  const { config, rows, counts, channels, others, managementHosts, sockets } = joined;
  const current = addFiguresOfPoll(figures);
  const servers = new Set(serverAddresses);
  const rowOf = (channel: Connection): ChannelRow =>
    formatChannel(current(channel), joined.subchannels.get(channel.id) ?? [], servers);
  const listeners = joinListeners(config.listeners, sockets?.map(current), servesAnyAddress);
  const listed = rows.filter((row) => matches(row, query));
  const sorted = query.sort === undefined ? listed : sortRows(listed, query.sort, current);
  return {
    channels: channels.map(rowOf),
    servers: [
      ...managementHosts.map((host) => formatServerHost(current(host))),
      ...others.map(rowOf).sort(byDescending(({ isManagementServer }) => isManagementServer)),
    ],
    listeners: listeners.slice(0, mostListeners),
    counts: {
      ...counts,
      listeners: listeners.length,
      notServing: listeners.filter(({ status }) => status === 'not-serving').length,
    },
    hasOutlierDetection: config.hasOutlierDetection,
    endpoints: {
      ...{ total: sorted.length, offset: query.offset },
      items: sorted.slice(query.offset, query.offset + query.limit).map(({ all, connection, ...row }) => ({
        ...row,
        connection: connection && formatConnection(connection, all.map(current)),
      })),
    },
  };
}

/** `subchannels`: its own. */
function formatChannel(
  channel: Connection,
  subchannels: readonly Connection[],
  servers: ReadonlySet<string>,
): ChannelRow {
  const failing = subchannels.find(({ lastError, state }) => lastError !== undefined && state !== 'READY');
  const addresses = subchannels.map(({ target }) => target);
  const local = subchannels.flatMap(({ localAddresses = [] }) => localAddresses);
  const target = channel.target.replace(/^dns:\/*/i, '');
  return {
    ...formatConnection(
      { ...channel, ...(failing?.lastError !== undefined && { lastError: failing.lastError }) },
      [channel],
    ),
    ...{ id: channel.id, target: channel.target, addresses: addresses.slice(0, mostAddresses) },
    isManagementServer:
      channel.isManagementServer === true ||
      [target, ...addresses, ...local].some((address) => servers.has(address)),
  };
}

function formatServerHost(host: Connection): ChannelRow {
  return {
    ...formatConnection(host, [host]),
    ...{ id: host.id, target: host.target, addresses: [], isManagementServer: true },
  };
}

function matches(row: JoinedRow, { only, q }: ConnectionsQuery): boolean {
  if (only === 'disagreements' && row.disagreement === undefined) return false;
  if (q === '') return true;
  const text = q.toLowerCase();
  const { cluster, locality, address, connection } = row;
  return [cluster, locality, address, connection?.lastError ?? '', connection?.state ?? ''].some((each) =>
    each.toLowerCase().includes(text),
  );
}

type SortColumn = (typeof endpointSortColumns)[number];

type SortValue = (row: JoinedRow, current: AddFigures) => string | number | undefined;

const sortValues: Readonly<Record<SortColumn, SortValue>> = {
  cluster: ({ cluster }) => cluster,
  endpoint: ({ address }) => address,
  state: ({ connection }) => connection && reportedStates.indexOf(connection.state),
  since: ({ connection }) => connection?.failingSince ?? connection?.since,
  error: rankOfError,
  started: figureOf('callsStarted'),
  failed: figureOf('callsFailed'),
  rate: figureOf('callsPerSecond'),
  streams: figureOf('openStreams'),
  health: ({ health }) => health,
  weight: ({ weight }) => weight,
};

function figureOf(name: 'callsStarted' | 'callsFailed' | 'callsPerSecond' | 'openStreams'): SortValue {
  return ({ all }, current) => {
    let sum: number | undefined;
    for (const each of all) {
      const { figures } = current(each);
      if (figures === undefined) continue;
      if (figures[name] === null) return undefined;
      sum = (sum ?? 0) + figures[name];
    }
    return sum;
  };
}

/** Disagreements come first. */
function rankOfError({ disagreement, connection }: JoinedRow): number | undefined {
  if (disagreement !== undefined) return 0;
  return connection?.failingSince === undefined ? undefined : 1;
}

/** Rows without a value are the last ones in both directions. Equal ones stay in the order of the config. */
function sortRows(
  rows: readonly JoinedRow[],
  sort: NonNullable<ConnectionsQuery['sort']>,
  current: AddFigures,
): JoinedRow[] {
  const isDescending = sort.startsWith('-');
  const read = sortValues[(isDescending ? sort.slice(1) : sort) as SortColumn];
  return rows
    .map((row) => ({ row, value: read(row, current) }))
    .sort((a, b) => compareSortValues(a.value, b.value, isDescending))
    .map(({ row }) => row);
}
