import { group } from 'd3';
import { formatLocality, formatShortLocality } from '../../format/locality';
import type { Connection } from '../../observation/connection';
import type { ReportedState } from '../../observation/connection-states';
import type { ConfigEndpoint } from './list-config-endpoints';
import type { Absence, ConnectionRow, Disagreement } from './schema';

const usable: ReadonlySet<string> = new Set(['HEALTHY', 'UNKNOWN', 'DEGRADED']);
const unusable: ReadonlySet<string> = new Set(['UNHEALTHY', 'TIMEOUT']);

/** A row whose connections are not formatted yet: of many rows a page has few. */
export interface JoinedRow extends Omit<ConnectionRow, 'connection'> {
  /** The connection with the worst state. */
  readonly connection: Connection | undefined;
  /** The connections that are counted. */
  readonly all: readonly Connection[];
}

/**
 * Joins the subchannels, or the hosts of an Envoy, with the endpoints at their addresses. `connections` are those of xDS
 * channels; undefined: no source reports any. Connections without an endpoint are the last rows.
 */
export function joinConnections(
  endpoints: readonly ConfigEndpoint[],
  connections: readonly Connection[] | undefined,
): JoinedRow[] {
  const byAddress = group(connections ?? [], ({ target }) => target);
  const clustersOf = new Map<string, string[]>();
  for (const { addresses, cluster } of endpoints) {
    for (const address of addresses) {
      const clusters = clustersOf.get(address);
      if (clusters === undefined) clustersOf.set(address, [cluster]);
      else if (!clusters.includes(cluster)) clusters.push(cluster);
    }
  }
  const joined = endpoints.map((endpoint) => {
    const found = endpoint.addresses.flatMap((address) => byAddress.get(address) ?? []);
    return { endpoint, found: found.filter((each) => isOfEndpoint(each, endpoint)) };
  });
  const reportsHosts = connections?.some(({ kind }) => kind === 'host') ?? false;
  const triedPriorities = new Set(
    joined.flatMap((each) => (each.found.length > 0 ? [priorityOf(each.endpoint)] : [])),
  );
  const ids = new Map<string, number>();
  const rows = joined.map(({ endpoint, found }): JoinedRow => {
    const { cluster, priority, address, health, excludedBecause, weight } = endpoint;
    const locality = formatShortLocality(endpoint.locality);
    const id = `${cluster} P${priority} ${formatLocality(endpoint.locality)} ${address}`;
    const number = (ids.get(id) ?? 0) + 1;
    ids.set(id, number);
    const isAssigned = found.some((each) => each.cluster !== undefined);
    const others = [...(clustersOf.get(address) ?? [])].filter((each) => each !== cluster);
    const connection = worstOf(found);
    return {
      ...{ id: number === 1 ? id : `${id} #${number}`, cluster, priority, locality, address, health },
      ...{ excludedBecause, weight, connection, all: found },
      absence:
        connection === undefined
          ? absenceOf(endpoint, connections && { reportsHosts }, triedPriorities.has(priorityOf(endpoint)))
          : undefined,
      sharedWith: connection === undefined || isAssigned ? [] : others,
      disagreement: disagreementOf(health, connection),
    };
  });
  const used = new Set(joined.flatMap(({ found }) => found));
  return [...rows, ...listOthers((connections ?? []).filter((each) => !used.has(each)))];
}

/** One row for each address, and for each cluster if the client reports it. */
function listOthers(connections: readonly Connection[]): JoinedRow[] {
  const groups = group(connections, ({ target, cluster = '' }) => `${target} ${cluster}`);
  return [...groups].flatMap(([name, found]): JoinedRow[] => {
    const connection = worstOf(found);
    if (connection === undefined) return [];
    const { cluster = '', target: address } = connection;
    return [
      {
        ...{ id: `other ${name.trim()}`, cluster, priority: undefined, address, health: undefined },
        locality: connection.locality === undefined ? '' : formatShortLocality(connection.locality),
        ...{ excludedBecause: '', weight: undefined, connection, all: found },
        ...{ absence: undefined, sharedWith: [], disagreement: undefined },
      },
    ];
  });
}

/** gRPC-Java reports the cluster and the locality; other libraries report the address alone. */
function isOfEndpoint({ cluster, locality }: Connection, endpoint: ConfigEndpoint): boolean {
  if (cluster !== undefined && cluster !== endpoint.cluster) return false;
  if (locality === undefined) return true;
  const { region = '', zone = '', subZone = '' } = endpoint.locality ?? {};
  return locality.region === region && locality.zone === zone && locality.subZone === subZone;
}

function priorityOf({ cluster, priority }: ConfigEndpoint): string {
  return `${priority} ${cluster}`;
}

/** Worst first. */
const severity: readonly ReportedState[] = [
  ...(['TRANSIENT_FAILURE', 'EJECTED', 'UNHEALTHY', 'CONNECT_FAILURE', 'CONNECTING', 'DRAINING'] as const),
  ...(['DEGRADED', 'UNKNOWN', 'IDLE', 'READY', 'HEALTHY', 'SHUTDOWN'] as const),
];

function worstOf(connections: readonly Connection[]): Connection | undefined {
  const [first, ...others] = connections;
  if (first === undefined) return undefined;
  return others.reduce(
    (worst, each) => (severity.indexOf(each.state) < severity.indexOf(worst.state) ? each : worst),
    first,
  );
}

function absenceOf(
  { health, isDns }: ConfigEndpoint,
  reported: { readonly reportsHosts: boolean } | undefined,
  isTried: boolean,
): Absence {
  if (reported === undefined) return 'not-reported';
  if (isDns) return 'dns';
  if (reported.reportsHosts) return 'no-host';
  if (!usable.has(health)) return 'not-usable';
  return isTried ? 'none' : 'priority-not-tried';
}

function disagreementOf(health: string, connection: Connection | undefined): Disagreement | undefined {
  if (connection === undefined) return undefined;
  const isFailing = connection.state !== 'READY' && connection.failingSince !== undefined;
  if (isFailing && usable.has(health)) return 'failing';
  return connection.state === 'READY' && unusable.has(health) ? 'unhealthy' : undefined;
}
