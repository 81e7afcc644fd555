import { connectionLimit } from '@/lib/facts/failing-endpoints';
import { noRequests, type ReachedLimits, type RequestCounts } from '@/lib/observation/packed-requests';
import { CDS, EDS, LDS, RDS, SDS, SRDS, VHDS } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import type { TargetMemory } from '../../source-cost';
import type { SentRequests } from '../poll-diff/request-windows';
import { readStandstill, standstillStatistics } from './read-standstill';

/** The counters of one subscription of Envoy since its start. */
export interface Subscription {
  readonly typeUrl: string;
  /**
   * Empty for CDS and LDS, whose statistics are for the whole type. Else as statisticName() has it; of EDS, the cluster's; of
   * VHDS and SRDS, that of the route configuration and of the scoped routes, whose resources are many.
   */
  readonly name: string;
  readonly rejected: number;
  readonly success: number;
}

/** A subscription that was successful, since a resource of it is in effect. */
export type Sample = Pick<Subscription, 'typeUrl' | 'name'>;

export interface Statistics {
  /** The key is the name of the statistics without its last part, as in "http.ingress.rds.routes". */
  readonly subscriptions: ReadonlyMap<string, Subscription>;
  /** null: not reported. */
  readonly uptimeMs: number | null;
  /** The time when the newest CDS response was accepted, by Envoy's clock; null if none was, or if it is not reported. */
  readonly cdsAcceptedAt: EpochMs | null;
  /** True if Envoy is connected to its management server; null: not reported. */
  readonly isConnected: boolean | null;
  /** Attempts to receive clusters and listeners, and those that failed, by their counters since the start of Envoy. */
  readonly updates: {
    readonly attempts: number;
    readonly failures: number;
    /** The names of the counters of failures that are not 0. */
    readonly failing: readonly string[];
  };
  /** The requests to each cluster, by its name in statistics. */
  readonly requests: ReadonlyMap<string, RequestCounts>;
  /** The requests that were sent to hosts of each of these clusters, by its name in statistics. */
  readonly sent: ReadonlyMap<string, SentRequests>;
  /** The connections to each cluster without a request, as of a TCP proxy; `completed` has the attempts. */
  readonly connections: ReadonlyMap<string, RequestCounts>;
  /** The limits of circuit breakers that are reached, by the name of the cluster in statistics. */
  readonly reachedLimits: ReachedLimits;
  /** See PackedRequests. */
  readonly standstill: string | undefined;
  readonly memory: TargetMemory;
}

const usual = [
  String.raw`\.update_(?:rejected|success)$`,
  String.raw`^(?:cluster_manager\.cds|listener_manager\.lds)\.update_(?:attempt|failure)$`,
  String.raw`^cluster_manager\.cds\.update_time$`,
  String.raw`^server\.(?:uptime|memory_allocated|memory_physical_size)$`,
  String.raw`(?:^|\.)control_plane\.connected_state$`,
  String.raw`^cluster\..+\.upstream_(?:rq_(?:total|active|tx_reset|completed|5xx|(?:active|pending)_overflow|timeout)|cx_(?:none_healthy|connect_fail|total|http[123]_total|overflow|destroy_local_with_active_rq))$`,
  String.raw`^cluster\..+\.circuit_breakers\.(?:default|high)\.(?:rq|rq_pending|cx)_open$`,
  ...standstillStatistics,
].join('|');

/** Counters that are 0 are left out of the answer. */
export const statisticsPath = `/stats?usedonly&filter=${encodeURIComponent(usual)}`;

/** Reads the answer to `statisticsPath`, one "name: value" a line. Other lines are left out. */
export function readStatistics(text: string): Statistics {
  const subscriptions = new Map<string, Subscription>();
  let [uptimeMs, cdsAcceptedAt, isConnected]: [number | null, number | null, boolean | null] = [
    null,
    null,
    null,
  ];
  let memory: TargetMemory = {};
  const counters = new Map<string, ClusterCounters>();
  const reachedLimits = new Map<string, readonly string[]>();
  let updates: Statistics['updates'] = { attempts: 0, failures: 0, failing: [] };
  const values = new Map(valuesOf(text));
  for (const [name, value] of values) {
    const update = /^(.+)\.update_(rejected|success)$/.exec(name);
    const [, cluster, counter = ''] = /^cluster\.(.+)\.upstream_((?:cx|rq)_[a-z0-9_]+)$/.exec(name) ?? [];
    const [, limited = '', priority = '', gauge = ''] =
      /^cluster\.(.+)\.circuit_breakers\.(default|high)\.(.+)_open$/.exec(name) ?? [];
    const limit = limitGauges[gauge];
    if (limit !== undefined) {
      const reached = `${limit}${priority === 'high' ? ' of priority HIGH' : ''}`;
      if (value > 0) reachedLimits.set(limited, [...(reachedLimits.get(limited) ?? []), reached]);
    } else if (cluster !== undefined) {
      const known = counters.get(cluster) ?? {};
      counters.set(cluster, { ...known, [counter]: value });
    } else if (update !== null) {
      const [, statistic = '', which] = update;
      const known = subscriptions.get(statistic) ?? newSubscription(statistic);
      if (known === undefined) continue;
      const { rejected, success } = known;
      const isSuccess = which === 'success';
      const counters = isSuccess ? { rejected, success: value } : { rejected: value, success };
      subscriptions.set(statistic, { ...known, ...counters });
    } else if (name === 'server.uptime') uptimeMs = value * 1_000;
    else if (name === 'server.memory_allocated') memory = { ...memory, allocated: value };
    else if (name === 'server.memory_physical_size') memory = { ...memory, physical: value };
    else if (name === 'cluster_manager.cds.update_time') cdsAcceptedAt = value === 0 ? null : value;
    else if (name.endsWith('.update_attempt')) updates = { ...updates, attempts: updates.attempts + value };
    else if (name.endsWith('.update_failure') && value > 0) {
      const { failures, failing } = updates;
      updates = { ...updates, failures: failures + value, failing: [...failing, name] };
    }
    // A stream for each type has a state of its own.
    else if (name.endsWith('control_plane.connected_state')) isConnected = value > 0 && isConnected !== false;
  }
  return {
    subscriptions,
    uptimeMs,
    cdsAcceptedAt,
    isConnected,
    updates,
    ...countRequests(withoutParts(counters)),
    reachedLimits,
    standstill: readStandstill(values),
    memory,
  };
}

/** The limits by the gauges that are 1 when they are reached, whatever track_remaining is. */
const limitGauges: Readonly<Record<string, string>> = {
  rq: 'max_requests',
  rq_pending: 'max_pending_requests',
  cx: connectionLimit,
};

/** By the name of the counter after "upstream_". */
type ClusterCounters = Readonly<Record<string, number>>;

function countRequests(
  counters: ReadonlyMap<string, ClusterCounters>,
): Pick<Statistics, 'requests' | 'sent' | 'connections'> {
  const requests = new Map<string, RequestCounts>();
  const sent = new Map<string, SentRequests>();
  const connections = new Map<string, RequestCounts>();
  for (const [cluster, own] of counters) {
    // Connections of a TCP proxy that wait for a host are pending requests, too, and none of them is completed.
    if (!isOfRequests(own)) {
      connections.set(cluster, connectionsOf(own));
      continue;
    }
    requests.set(cluster, requestsOf(own));
    sent.set(cluster, sentOf(own));
  }
  return { requests, sent, connections };
}

/** Of HTTP/1, Envoy ends a request with its connection. */
function sentOf(counters: ClusterCounters): SentRequests {
  const { rq_total: total = 0, rq_active: active = 0 } = counters;
  const { rq_tx_reset: streams = 0, cx_destroy_local_with_active_rq: connections = 0 } = counters;
  return { ended: total - active, active, reset: streams + connections };
}

/** A connection that carries HTTP is counted by its version. */
function isOfRequests(counters: ClusterCounters): boolean {
  return ['rq_completed', 'cx_http1_total', 'cx_http2_total', 'cx_http3_total'].some(
    (counter) => counter in counters,
  );
}

function requestsOf(counters: ClusterCounters): RequestCounts {
  const { rq_completed: completed = 0, rq_5xx: failed = 0, rq_timeout: timeout = 0 } = counters;
  const { rq_active_overflow: active = 0, rq_pending_overflow: pending = 0 } = counters;
  const { cx_none_healthy: noHost = 0, cx_connect_fail: connectFailure = 0 } = counters;
  return { ...noRequests, completed, failed, overflow: active + pending, noHost, connectFailure, timeout };
}

/** cx_total has the attempts of which the connection failed; those without a host, and those beyond a limit, are apart. */
function connectionsOf({
  cx_total: tried = 0,
  cx_connect_fail: connectFailure = 0,
  cx_none_healthy: noHost = 0,
  cx_overflow: overLimit = 0,
  rq_pending_overflow: pending = 0,
}: ClusterCounters): RequestCounts {
  const overflow = overLimit + pending;
  const failed = connectFailure + noHost + overflow;
  return { ...noRequests, completed: tried + noHost + overflow, failed, overflow, noHost, connectFailure };
}

/** Envoy counts requests again by where they came from, by zones, and those that it sent again. */
const parts = /\.(?:external|internal|canary|retry|zone\..+)$/;

function withoutParts(counters: ReadonlyMap<string, ClusterCounters>): ReadonlyMap<string, ClusterCounters> {
  return new Map(
    [...counters].filter(([name]) => !parts.test(name) || !counters.has(name.replace(parts, ''))),
  );
}

/** The statistics of ODCDS. */
export const onDemandClusters = 'cluster_manager.odcds';

const namedPatterns: readonly [RegExp, string][] = [
  [/^cluster\.(.+)$/, EDS.typeUrl],
  [/^http\..+?\.rds\.vhds\.(.+)$/, VHDS.typeUrl],
  [/^http\..+?\.rds\.(.+)$/, RDS.typeUrl],
  [/^http\..+?\.scoped_rds\.(.+)$/, SRDS.typeUrl],
  [/^sds\.(.+)$/, SDS.typeUrl],
];

function newSubscription(statistic: string): Subscription | undefined {
  const none = { rejected: 0, success: 0 };
  const isOfClusters = statistic === 'cluster_manager.cds' || statistic === onDemandClusters;
  if (isOfClusters) return { typeUrl: CDS.typeUrl, name: '', ...none };
  if (statistic === 'listener_manager.lds') return { typeUrl: LDS.typeUrl, name: '', ...none };
  for (const [pattern, typeUrl] of namedPatterns) {
    const name = pattern.exec(statistic)?.[1];
    if (name !== undefined) return { typeUrl, name, ...none };
  }
  return undefined;
}

/** Requests whether clusters have begun to warm; empty if there are none. Bounded, because a URL is. */
export function warmingStatesPath(clusters: readonly string[]): string {
  const names = alternativesOf(clusters);
  if (names === '') return '';
  const filter = String.raw`^cluster\.(?:${names})\.warming_state$`;
  return `/stats?filter=${encodeURIComponent(filter)}`;
}

/** Requests the number of attempts of subscriptions, by their names in statistics; empty if there are none. Bounded. */
export function attemptsPath(statistics: readonly string[]): string {
  const names = alternativesOf(statistics);
  if (names === '') return '';
  const filter = String.raw`^(?:${names})\.update_(?:attempt|failure)$`;
  return `/stats?filter=${encodeURIComponent(filter)}`;
}

/** Returns the attempts of each subscription that did not fail to reach the management server. */
export function readAttempts(text: string): ReadonlyMap<string, number> {
  const attempts = new Map<string, number>();
  for (const [name, value] of valuesOf(text)) {
    const [, statistic, which] = /^(.+)\.update_(attempt|failure)$/.exec(name) ?? [];
    if (statistic === undefined) continue;
    attempts.set(statistic, (attempts.get(statistic) ?? 0) + (which === 'attempt' ? value : -value));
  }
  return attempts;
}

const maxNamesLength = 6_000;

function alternativesOf(all: readonly string[]): string {
  const names: string[] = [];
  let length = 0;
  for (const each of all) {
    const name = each.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
    length += encodeURIComponent(name).length + 3;
    if (length > maxNamesLength) break;
    names.push(name);
  }
  return names.join('|');
}

/**
 * Returns a state by cluster. 1: it waits for its endpoints, secrets or health checks. 0: it is ready, or was never
 * started.
 */
export function readWarmingStates(text: string): ReadonlyMap<string, number> {
  const states = new Map<string, number>();
  for (const [name, value] of valuesOf(text)) {
    const cluster = /^cluster\.(.+)\.warming_state$/.exec(name)?.[1];
    if (cluster !== undefined) states.set(cluster, value);
  }
  return states;
}

function* valuesOf(text: string): Generator<[name: string, value: number]> {
  for (const line of text.split('\n')) {
    const [, name, value] = /^(\S+): (\d{1,15})$/.exec(line) ?? [];
    if (name !== undefined) yield [name, Number(value)];
  }
}

/** A name as it is in statistics (Envoy: Stats::Utility::sanitizeStatsName). */
export function statisticName(name: string): string {
  return name.replace(/:\/\/|:\/|:|\0/g, '_');
}
