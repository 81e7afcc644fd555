import type { Connection } from '../../observation/connection';
import { hostStates } from '../../observation/connection-states';
import { type JoinedRow, joinConnections } from './join-connections';
import type { ConnectedConfig } from './read-connected-config';

/** A client's config beside its connections: what does not depend on figures, and is the same for every page. */
export interface JoinedConfig {
  readonly config: ConnectedConfig;
  /** undefined: no source reports any. */
  readonly connections: readonly Connection[] | undefined;
  readonly rows: readonly JoinedRow[];
  readonly counts: {
    readonly endpoints: number;
    readonly ready: number;
    readonly failing: number;
    readonly disagreements: number;
  };
  /** Channels of xDS, and the others of the process. */
  readonly channels: readonly Connection[];
  readonly others: readonly Connection[];
  /** The subchannels of each channel, by its id. */
  readonly subchannels: ReadonlyMap<string, readonly Connection[]>;
  readonly managementHosts: readonly Connection[];
  /** The sockets on which the process listens; undefined: no source reports any. */
  readonly sockets: readonly Connection[] | undefined;
}

export function joinConfig(
  config: ConnectedConfig,
  connections: readonly Connection[] | undefined,
): JoinedConfig {
  const all = connections ?? [];
  const ofKind = (kind: Connection['kind']) => all.filter((each) => each.kind === kind);
  const [channels, hosts] = [ofKind('channel'), ofKind('host')];
  const xds = new Set(channels.flatMap(({ id, target }) => (/^xds:/i.test(target) ? [id] : [])));
  const subchannels = new Map<string, Connection[]>();
  const ofXds: Connection[] = [];
  for (const each of ofKind('subchannel')) {
    for (const id of each.channels) {
      const known = subchannels.get(id);
      if (known === undefined) subchannels.set(id, [each]);
      else known.push(each);
    }
    if (each.channels.some((id) => xds.has(id))) ofXds.push(each);
  }
  const rows = joinConnections(config.endpoints, connections && [...ofXds, ...hosts]);
  const inConfig = rows.filter(({ priority }) => priority !== undefined);
  const management = new Set(config.managementClusters);
  return {
    ...{ config, connections, rows, subchannels },
    counts: {
      endpoints: inConfig.length,
      ready: inConfig.filter(({ connection }) => isUsed(connection)).length,
      failing: inConfig.filter(({ connection }) => isFailing(connection)).length,
      disagreements: rows.filter(({ disagreement }) => disagreement !== undefined).length,
    },
    channels: channels.filter(({ id }) => xds.has(id)),
    others: channels.filter(({ id }) => !xds.has(id)),
    managementHosts: hosts.filter(({ cluster }) => cluster !== undefined && management.has(cluster)),
    sockets: connections && findSockets(connections),
  };
}

/** Hosts without sockets may come from /clusters alone, which does not show the addresses that the Envoy listens on. */
function findSockets(connections: readonly Connection[]): readonly Connection[] | undefined {
  const sockets = connections.filter(({ kind }) => kind === 'listener');
  return sockets.length === 0 && connections.some(({ kind }) => kind === 'host') ? undefined : sockets;
}

function isUsed(connection: Connection | undefined): boolean {
  return connection?.state === 'READY' || connection?.state === 'HEALTHY';
}

function isFailing(connection: Connection | undefined): boolean {
  if (connection === undefined) return false;
  const { state, failingSince } = connection;
  return (
    state === 'TRANSIENT_FAILURE' || (hostStates.some((each) => each === state) && failingSince !== undefined)
  );
}
