import type { Connection } from '../observation/connection';

/** `connection`: the client cannot connect to the endpoint. `requests`: every request to it has failed. */
export const endpointFailures = ['connection', 'requests'] as const;
export type EndpointFailure = (typeof endpointFailures)[number];

/** What a client measured to fail. */
export interface Failing {
  /**
   * Endpoints, by failingKey(). A source reports the cluster of a host of Envoy; of a subchannel mostly the address alone, which
   * then counts in every cluster.
   */
  readonly endpoints: ReadonlyMap<string, EndpointFailure>;
  readonly loads: FailingLoads;
  readonly breakers: Breakers;
  /** Why the client serves no request, whatever its config is. Absent: nothing shows that it does not. */
  readonly standstill?: string | undefined;
}

/**
 * What load reports, or the counters of an Envoy, show of the requests to a cluster. Load reports count requests by locality, and by
 * endpoint if the load reporting server requests that.
 */
export interface FailingLoad {
  /** The requests are those of so many minutes before the question. */
  readonly minutes: number;
  /** Every request to the cluster failed. */
  readonly isWhole: boolean;
  /** The endpoints to which every request failed. */
  readonly addresses: readonly string[];
  /** The localities to which every request failed, by localityKey(). */
  readonly localities: readonly string[];
  /** Set if the counters of the Envoy show that each ended before a host answered it. */
  readonly isUnanswered?: true;
}

/** A circuit breaker that rejects requests: the limits that are reached, or none if it rejected requests a short time ago. */
export interface Breaker {
  /** As in "max_requests". */
  readonly limits: readonly string[];
  /** It rejected connections, as those of a TCP proxy. */
  readonly isOfConnections?: true;
}

export type Breakers = ReadonlyMap<string, Breaker>;

/** The limit of connections that are open, those that wait for the next request among them. */
export const connectionLimit = 'max_connections';

/**
 * The circuit breaker of a cluster that rejects requests or connections. At the limit of connections, those of a TCP proxy are
 * rejected; an HTTP request waits for a connection.
 */
export function findBreaker(breakers: Breakers, cluster: string, isOfTcp: boolean): Breaker | undefined {
  const known = breakers.get(cluster);
  if (known === undefined || isOfTcp || known.limits.length === 0) return known;
  const limits = known.limits.filter((limit) => !limit.startsWith(connectionLimit));
  return limits.length === 0 ? undefined : { limits };
}

/** As a phrase: "its circuit breaker is at its limit (max_requests)". */
export function describeBreaker({ limits, isOfConnections }: Breaker): string {
  if (limits.length > 0) return `its circuit breaker is at its limit (${limits.join(', ')})`;
  return isOfConnections
    ? 'its circuit breaker rejected connections in the last two minutes (upstream_cx_overflow, upstream_rq_pending_overflow)'
    : 'its circuit breaker rejected requests in the last two minutes (upstream_rq_active_overflow, upstream_rq_pending_overflow)';
}

export type FailingLoads = ReadonlyMap<string, FailingLoad>;

export const noFailing: Failing = { endpoints: new Map(), loads: new Map(), breakers: new Map() };

/** Fewer failed requests do not show that a host fails every one. */
export const leastRequests = 10;

/** As in 'every request of the last minute to cluster "a" failed, by load reports'. */
export function describeFailingLoad(
  { minutes, isUnanswered }: Pick<FailingLoad, 'minutes' | 'isUnanswered'>,
  to = '',
): string {
  const time = minutes === 1 ? 'minute' : `${minutes} minutes`;
  const how = isUnanswered
    ? 'ended before the host answered, by the counters of Envoy'
    : 'failed, by load reports';
  return `every request of the last ${time}${to === '' ? '' : ` to ${to}`} ${how}`;
}

function failingKey(cluster: string, address: string): string {
  return `${cluster} ${address}`;
}

/** The addresses of which every reported connection fails, or every request, beside what else is measured. */
export function findFailing(
  connections: readonly Connection[],
  { loads, breakers, standstill }: Omit<Failing, 'endpoints'> = noFailing,
): Failing {
  const failures = new Map<string, EndpointFailure | undefined>();
  for (const connection of connections) {
    const { kind, cluster = '', target } = connection;
    if (kind !== 'subchannel' && kind !== 'host') continue;
    const key = failingKey(cluster, target);
    const failure = failureOf(connection);
    failures.set(key, failures.has(key) && failures.get(key) !== failure ? undefined : failure);
  }
  const endpoints = new Map(
    [...failures].flatMap(([key, failure]) => (failure === undefined ? [] : [[key, failure]])),
  );
  return { endpoints, loads, breakers, standstill };
}

/** The counts of a host are of all connections and requests since Envoy added it, those of its health checks left out. */
function failureOf({ kind, state, figures }: Connection): EndpointFailure | undefined {
  if (state === 'TRANSIENT_FAILURE' || state === 'CONNECT_FAILURE') return 'connection';
  if (kind !== 'host' || figures === undefined) return undefined;
  const { callsFailed, callsStarted, callsSucceeded, openStreams, ofHost } = figures;
  if (ofHost?.connections && ofHost.failedConnections === ofHost.connections) return 'connection';
  // Requests that a circuit breaker rejects are errors of a host, and were not sent to it.
  const ended = callsStarted - (openStreams ?? 0);
  const isNoneServed = callsSucceeded === 0 && callsFailed >= ended;
  return ended >= leastRequests && isNoneServed ? 'requests' : undefined;
}

/** What is not known of a client whose connections no source reports. */
export function describeUnmeasured(client: 'envoy' | 'grpc'): string {
  const by = client === 'envoy' ? '/clusters of its admin interface' : 'its channelz';
  return `not measured: whether the client can connect to its endpoints, which ${by} would report`;
}

/** Targets of channels that fail, with the error that the client reports; empty if it reports none. */
export type FailingTargets = ReadonlyMap<string, string>;

/** The targets of which every channel is in TRANSIENT_FAILURE: RPCs fail at once, unless they wait for a connection. */
export function findFailingTargets(connections: readonly Connection[]): FailingTargets {
  const found = new Map<string, string | undefined>();
  for (const { kind, target, state, lastError = '' } of connections) {
    if (kind !== 'channel') continue;
    const error = state === 'TRANSIENT_FAILURE' ? lastError : undefined;
    found.set(target, found.has(target) && found.get(target) === undefined ? undefined : error);
  }
  return new Map([...found].flatMap(([target, error]) => (error === undefined ? [] : [[target, error]])));
}

/** True if nothing is measured to fail. */
export function isNoFailing({ endpoints, loads, breakers, standstill }: Failing): boolean {
  return endpoints.size + loads.size + breakers.size === 0 && standstill === undefined;
}

export function findFailure(
  { endpoints, loads }: Failing,
  cluster: string,
  address: string,
): EndpointFailure | undefined {
  const known = endpoints.get(failingKey(cluster, address)) ?? endpoints.get(failingKey('', address));
  return known ?? (loads.get(cluster)?.addresses.includes(address) ? 'requests' : undefined);
}

/** The clusters of which something fails in one of the two alone, or otherwise; null: any cluster can be concerned. */
export function clustersThatDiffer(a: Failing, b: Failing): ReadonlySet<string> | null {
  const clusters = new Set<string>();
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    for (const [key, failure] of one.endpoints)
      if (other.endpoints.get(key) !== failure) clusters.add(key.slice(0, key.lastIndexOf(' ')));
    for (const [cluster, load] of one.loads)
      if (JSON.stringify(other.loads.get(cluster)) !== JSON.stringify(load)) clusters.add(cluster);
    for (const [cluster, { limits }] of one.breakers)
      if (other.breakers.get(cluster)?.limits.join() !== limits.join()) clusters.add(cluster);
  }
  return clusters.has('') ? null : clusters;
}
