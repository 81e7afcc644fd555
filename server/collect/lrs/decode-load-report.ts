import { messageOf } from '@/lib/format/message-of';
import type { ClusterLoad, EndpointLoad, LoadMetric, LocalityLoad } from '@/lib/observation/observation';
import { messageType } from '../../codec/root';

/** A LoadStatsRequest with its defaults; 64-bit integers are decimal text, and messages that are absent are null. */
interface ReportFields {
  readonly clusterStats: readonly ClusterFields[];
}
interface ClusterFields {
  readonly clusterName: string;
  readonly clusterServiceName: string;
  readonly upstreamLocalityStats: readonly LocalityFields[];
  readonly totalDroppedRequests: string;
  readonly droppedRequests: readonly { readonly category: string; readonly droppedCount: string }[];
  readonly loadReportInterval: { readonly seconds: string; readonly nanos: number } | null;
}
interface RequestFields {
  readonly totalSuccessfulRequests: string;
  readonly totalErrorRequests: string;
  readonly totalIssuedRequests: string;
  readonly totalRequestsInProgress: string;
  readonly loadMetricStats: readonly (MetricFields & { readonly metricName: string })[];
}
interface LocalityFields extends RequestFields {
  readonly locality: LocalityLoad['locality'] | null;
  readonly priority: number;
  readonly totalActiveConnections: string;
  readonly totalNewConnections: string;
  readonly totalFailConnections: string;
  readonly cpuUtilization: MetricFields | null;
  readonly memUtilization: MetricFields | null;
  readonly applicationUtilization: MetricFields | null;
  readonly upstreamEndpointStats: readonly EndpointFields[];
}
interface MetricFields {
  readonly numRequestsFinishedWithMetric: string;
  readonly totalMetricValue: number;
}
interface EndpointFields extends RequestFields {
  readonly address: {
    readonly socketAddress?: { readonly address: string; readonly portValue?: number };
    readonly pipe?: { readonly path: string };
  } | null;
}

type LoadReportResult =
  | {
      readonly kind: 'report';
      /** The decoded Node message, or null if the client omitted it, as it may after the first message. */
      readonly node: object | null;
      readonly clusters: readonly ClusterLoad[];
    }
  | { readonly kind: 'malformed'; readonly reason: string };

/** Longer intervals are treated as not reported. */
const longestIntervalMs = 24 * 60 * 60 * 1_000;

/** Decodes a LoadStatsRequest (load_stats/v3/lrs.proto, endpoint/v3/load_report.proto) with exact counters. */
export function decodeLoadReport(message: Uint8Array): LoadReportResult {
  const type = messageType('envoy.service.load_stats.v3.LoadStatsRequest');
  try {
    const decoded = type.decode(message);
    const { clusterStats } = type.toObject(decoded, { longs: String, defaults: true }) as ReportFields;
    const node: object | undefined = Reflect.get(decoded, 'node');
    return { kind: 'report', node: node ?? null, clusters: clusterStats.map(readCluster) };
  } catch (error) {
    return {
      kind: 'malformed',
      reason: `expected a LoadStatsRequest, got ${message.length} bytes that do not decode: ${messageOf(error)}`,
    };
  }
}

function readCluster({ clusterName, clusterServiceName, ...stats }: ClusterFields): ClusterLoad {
  return {
    clusterName,
    clusterServiceName,
    intervalMs: readInterval(stats.loadReportInterval),
    totalDropped: stats.totalDroppedRequests,
    dropped: stats.droppedRequests.map(({ category, droppedCount: count }) => ({ category, count })),
    localities: stats.upstreamLocalityStats.map(readLocality),
  };
}

function readLocality(stats: LocalityFields): LocalityLoad {
  const { region = '', zone = '', subZone = '' } = stats.locality ?? {};
  // gRFC A85: three metrics have fields of their own, all others have names.
  const metrics = [
    ...stats.loadMetricStats.map((each) => readMetric(each.metricName, each)),
    ...readMetricField('cpu_utilization', stats.cpuUtilization),
    ...readMetricField('mem_utilization', stats.memUtilization),
    ...readMetricField('application_utilization', stats.applicationUtilization),
  ];
  const endpoints = stats.upstreamEndpointStats.map(readEndpoint);
  return {
    locality: { region, zone, subZone },
    priority: stats.priority,
    ...readRequests(stats),
    ...(stats.totalNewConnections !== '0' && { newConnections: stats.totalNewConnections }),
    ...(stats.totalFailConnections !== '0' && { failedConnections: stats.totalFailConnections }),
    ...(stats.totalActiveConnections !== '0' && { activeConnections: stats.totalActiveConnections }),
    ...(metrics.length > 0 && { metrics }),
    ...(endpoints.length > 0 && { endpoints }),
  };
}

function readEndpoint(stats: EndpointFields): EndpointLoad {
  const { socketAddress, pipe } = stats.address ?? {};
  const host = socketAddress?.address ?? '';
  const metrics = stats.loadMetricStats.map((each) => readMetric(each.metricName, each));
  return {
    address: pipe
      ? `unix:${pipe.path}`
      : `${host.includes(':') ? `[${host}]` : host}:${socketAddress?.portValue ?? 0}`,
    ...readRequests(stats),
    ...(metrics.length > 0 && { metrics }),
  };
}

/**
 * grpc-go never sets `total_issued_requests`, and proto3 does not distinguish unset from 0. Requests that ended in a window
 * may all have been issued in an earlier one, and 0 then counts as not reported, too: a gap is better than a wrong zero.
 */
function readRequests(stats: RequestFields) {
  const [successful, errors] = [stats.totalSuccessfulRequests, stats.totalErrorRequests];
  const isIdle = successful === '0' && errors === '0';
  const issued = stats.totalIssuedRequests === '0' && !isIdle ? null : stats.totalIssuedRequests;
  return { successful, errors, issued, inProgress: stats.totalRequestsInProgress };
}

function readMetricField(name: string, fields: MetricFields | null): LoadMetric[] {
  return fields === null ? [] : [readMetric(name, fields)];
}

function readMetric(name: string, fields: MetricFields): LoadMetric {
  const { numRequestsFinishedWithMetric: count, totalMetricValue: sum } = fields;
  return { name, count, sum: Number.isFinite(sum) ? sum : null };
}

/**
 * The first report of grpc-go states an interval of 292 years (the largest int64 of nanoseconds). An interval of more
 * than a day, or of zero or less, counts as not reported, so that no rate is computed with it.
 */
function readInterval(interval: ClusterFields['loadReportInterval']): number | null {
  if (interval === null) return null;
  const ms = Number(interval.seconds) * 1_000 + interval.nanos / 1e6;
  return ms > 0 && ms <= longestIntervalMs ? ms : null;
}
