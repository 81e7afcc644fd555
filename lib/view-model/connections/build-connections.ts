import type { ChannelRow, ConnectionRow, ConnectionsPage, ConnectionsQuery } from '../../api/connections';
import type { endpointSortColumns } from '../../api/endpoint-sort-columns';
import { compareNames, compareValues } from '../../format/compare-names';
import type { Connection } from '../../observation/connection';
import { hostStates, reportedStates } from '../../observation/connection';
import { formatConnection } from './format-connection';
import { joinConnections } from './join-connections';
import { joinListeners } from './join-listeners';
import type { ConnectedConfig } from './read-connected-config';

export interface ConnectionsInput {
  readonly config: ConnectedConfig;
  /** null: no source reports connections. */
  readonly connections: readonly Connection[] | null;
  /** Addresses of the client's management servers, and the client's own addresses of its streams to them. */
  readonly serverAddresses: readonly string[];
}

export type ConnectionsContent = Pick<
  ConnectionsPage,
  'channels' | 'servers' | 'listeners' | 'counts' | 'endpoints' | 'hasOutlierDetection'
>;

const mostListeners = 50;

/** What a client is connected to, beside its config. */
export function buildConnections(
  { config, connections, serverAddresses }: ConnectionsInput,
  query: ConnectionsQuery,
): ConnectionsContent {
  const all = connections ?? [];
  const channels = all.filter(({ kind }) => kind === 'channel');
  const xds = new Set(channels.flatMap(({ id, target }) => (isXds(target) ? [id] : [])));
  const subchannels = all.filter(({ kind }) => kind === 'subchannel');
  const hosts = all.filter(({ kind }) => kind === 'host');
  const ofXds = subchannels.filter((each) => each.channels.some((id) => xds.has(id)));
  const servers = new Set(serverAddresses);
  const rows = joinConnections(config.endpoints, connections && [...ofXds, ...hosts]);
  const sockets = connections && all.filter(({ kind }) => kind === 'listener');
  const listeners = joinListeners(config.listeners, sockets);
  const management = new Set(config.managementClusters);
  const rowOf = (channel: Connection): ChannelRow => formatChannel(channel, subchannels, servers);
  const listed = rows.filter((row) => matches(row, query));
  const sorted = query.sort === undefined ? listed : sortRows(listed, query.sort);
  const inConfig = rows.filter(({ priority }) => priority !== null);
  return {
    channels: channels.filter(({ id }) => xds.has(id)).map(rowOf),
    servers: [
      ...hosts
        .filter(({ cluster }) => cluster !== undefined && management.has(cluster))
        .map(formatServerHost),
      ...channels
        .filter(({ id }) => !xds.has(id))
        .map(rowOf)
        .sort((a, b) => Number(b.isManagementServer) - Number(a.isManagementServer)),
    ],
    listeners: listeners.slice(0, mostListeners),
    counts: {
      listeners: listeners.length,
      notServing: listeners.filter(({ status }) => status === 'not-serving').length,
      endpoints: inConfig.length,
      ready: inConfig.filter(({ connection }) => isUsed(connection)).length,
      failing: inConfig.filter(({ connection }) => isFailing(connection)).length,
      disagreements: rows.filter(({ disagreement }) => disagreement !== null).length,
    },
    hasOutlierDetection: config.hasOutlierDetection,
    endpoints: {
      ...{ total: sorted.length, offset: query.offset },
      items: sorted.slice(query.offset, query.offset + query.limit),
    },
  };
}

function formatChannel(
  channel: Connection,
  subchannels: readonly Connection[],
  servers: ReadonlySet<string>,
): ChannelRow {
  const own = subchannels.filter(({ channels }) => channels.includes(channel.id));
  const failing = own.find(({ lastError, state }) => lastError !== undefined && state !== 'READY');
  const addresses = own.map(({ target }) => target);
  const local = own.flatMap(({ localAddresses = [] }) => localAddresses);
  const target = channel.target.replace(/^dns:\/*/i, '');
  return {
    ...formatConnection(
      { ...channel, ...(failing?.lastError !== undefined && { lastError: failing.lastError }) },
      [channel],
    ),
    ...{ id: channel.id, target: channel.target, addresses },
    isManagementServer: [target, ...addresses, ...local].some((address) => servers.has(address)),
  };
}

function formatServerHost(host: Connection): ChannelRow {
  return {
    ...formatConnection(host, [host]),
    ...{ id: host.id, target: host.target, addresses: [], isManagementServer: true },
  };
}

function isUsed(connection: ConnectionRow['connection']): boolean {
  return connection?.state === 'READY' || connection?.state === 'HEALTHY';
}

function isFailing(connection: ConnectionRow['connection']): boolean {
  if (connection === null) return false;
  const { state, failingSince } = connection;
  return (
    state === 'TRANSIENT_FAILURE' || (hostStates.some((each) => each === state) && failingSince !== null)
  );
}

function isXds(target: string): boolean {
  return /^xds:/i.test(target);
}

function matches(row: ConnectionRow, { only, q }: ConnectionsQuery): boolean {
  if (only === 'disagreements' && row.disagreement === null) return false;
  if (q === '') return true;
  const text = q.toLowerCase();
  const { cluster, locality, address, connection } = row;
  return [cluster, locality, address, connection?.lastError ?? '', connection?.state ?? ''].some((each) =>
    each.toLowerCase().includes(text),
  );
}

type SortColumn = (typeof endpointSortColumns)[number];

const sortValues: Readonly<Record<SortColumn, (row: ConnectionRow) => string | number | null>> = {
  cluster: ({ cluster }) => cluster,
  endpoint: ({ address }) => address,
  state: ({ connection }) => connection && reportedStates.indexOf(connection.state),
  since: ({ connection }) => connection?.failingSince ?? connection?.since ?? null,
  error: rankOfError,
  started: ({ connection }) => connection?.figures?.callsStarted ?? null,
  failed: ({ connection }) => connection?.figures?.callsFailed ?? null,
  rate: ({ connection }) => connection?.figures?.callsPerSecond ?? null,
  streams: ({ connection }) => connection?.figures?.openStreams ?? null,
  health: ({ health }) => health,
  weight: ({ weight }) => weight,
};

/** Disagreements come first. */
function rankOfError({ disagreement, connection }: ConnectionRow): number | null {
  if (disagreement !== null) return 0;
  return connection === null || connection.failingSince === null ? null : 1;
}

/** Rows without a value are the last ones in both directions. */
function sortRows(
  rows: readonly ConnectionRow[],
  sort: NonNullable<ConnectionsQuery['sort']>,
): ConnectionRow[] {
  const isDescending = sort.startsWith('-');
  const read = sortValues[(isDescending ? sort.slice(1) : sort) as SortColumn];
  return rows
    .map((row) => ({ row, value: read(row) }))
    .sort((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
      const order = compareValues(a.value, b.value);
      return (isDescending ? -order : order) || compareNames(a.row.id, b.row.id);
    })
    .map(({ row }) => row);
}
