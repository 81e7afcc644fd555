import type { ChannelRow, ConnectionRow, ConnectionsPage, ConnectionsQuery } from '../../api/connections';
import type { endpointSortColumns } from '../../api/endpoint-sort-columns';
import { compareNames, compareValues } from '../../format/compare-names';
import { formatIsoTime } from '../../format/iso-time';
import type { Connection } from '../../observation/connection';
import { connectivityStates } from '../../observation/connection';
import { formatConnection, formatFigures } from './format-connection';
import { joinConnections } from './join-connections';
import type { ConfigEndpoint } from './list-config-endpoints';

export interface ConnectionsInput {
  readonly endpoints: readonly ConfigEndpoint[];
  /** null: no source reports connections. */
  readonly connections: readonly Connection[] | null;
  /** Addresses of the client's management servers, and the client's own addresses of its streams to them. */
  readonly serverAddresses: readonly string[];
}

export type ConnectionsContent = Pick<
  ConnectionsPage,
  'channels' | 'servers' | 'listeners' | 'counts' | 'endpoints'
>;

/** What a client is connected to, beside its config. */
export function buildConnections(
  { endpoints, connections, serverAddresses }: ConnectionsInput,
  query: ConnectionsQuery,
): ConnectionsContent {
  const all = connections ?? [];
  const channels = all.filter(({ kind }) => kind === 'channel');
  const xds = new Set(channels.flatMap(({ id, target }) => (isXds(target) ? [id] : [])));
  const subchannels = all.filter(({ kind }) => kind === 'subchannel');
  const ofXds = subchannels.filter((each) => each.channels.some((id) => xds.has(id)));
  const servers = new Set(serverAddresses);
  const rows = joinConnections(endpoints, connections && ofXds);
  const rowOf = (channel: Connection): ChannelRow => formatChannel(channel, subchannels, servers);
  const listed = rows.filter((row) => matches(row, query));
  const sorted = query.sort === undefined ? listed : sortRows(listed, query.sort);
  const inConfig = rows.filter(({ priority }) => priority !== null);
  return {
    channels: channels.filter(({ id }) => xds.has(id)).map(rowOf),
    servers: channels
      .filter(({ id }) => !xds.has(id))
      .map(rowOf)
      .sort((a, b) => Number(b.isManagementServer) - Number(a.isManagementServer)),
    listeners: all
      .filter(({ kind }) => kind === 'listener')
      .map(({ id, target, since, isSinceFirstPoll = false, ...listener }) => ({
        ...{ id, address: target, since: formatIsoTime(since), isSinceFirstPoll },
        figures: formatFigures([{ id, target, since, ...listener }]),
      })),
    counts: {
      endpoints: inConfig.length,
      ready: inConfig.filter(({ connection }) => connection?.state === 'READY').length,
      failing: inConfig.filter(({ connection }) => connection?.state === 'TRANSIENT_FAILURE').length,
      disagreements: rows.filter(({ disagreement }) => disagreement !== null).length,
    },
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
  state: ({ connection }) => connection && connectivityStates.indexOf(connection.state),
  since: ({ connection }) => connection?.failingSince ?? connection?.since ?? null,
  started: ({ connection }) => connection?.figures?.callsStarted ?? null,
  failed: ({ connection }) => connection?.figures?.callsFailed ?? null,
  rate: ({ connection }) => connection?.figures?.callsPerSecond ?? null,
  streams: ({ connection }) => connection?.figures?.openStreams ?? null,
  health: ({ health }) => health,
  weight: ({ weight }) => weight,
};

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
