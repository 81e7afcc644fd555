import type { ClusterLoad, EndpointLoad, LoadMetric, LocalityLoad } from '@/lib/observation/observation';
import { messageType } from '@/server/codec/root';

export type LoadReportResult =
  | {
      readonly kind: 'report';
      /** The Node message as decoded; null where the client left it out, as it may after the first message. */
      readonly node: object | null;
      readonly clusters: readonly ClusterLoad[];
    }
  | { readonly kind: 'malformed'; readonly reason: string };

/** uint64 as protobufjs decodes it: a Long, whose toString() is exact; absent when zero. */
type Uint64Field = { toString(): string } | null | undefined;

interface ReportFields {
  readonly node?: object | null;
  readonly clusterStats?: readonly ClusterStatsFields[];
}
interface ClusterStatsFields {
  readonly clusterName?: string;
  readonly clusterServiceName?: string;
  readonly upstreamLocalityStats?: readonly LocalityStatsFields[];
  readonly totalDroppedRequests?: Uint64Field;
  readonly droppedRequests?: readonly { readonly category?: string; readonly droppedCount?: Uint64Field }[];
  readonly loadReportInterval?: { readonly seconds?: Uint64Field; readonly nanos?: number } | null;
}
interface LocalityStatsFields {
  readonly locality?: { readonly region?: string; readonly zone?: string; readonly subZone?: string } | null;
  readonly priority?: number;
  readonly totalSuccessfulRequests?: Uint64Field;
  readonly totalErrorRequests?: Uint64Field;
  readonly totalIssuedRequests?: Uint64Field;
  readonly totalRequestsInProgress?: Uint64Field;
  readonly totalActiveConnections?: Uint64Field;
  readonly totalNewConnections?: Uint64Field;
  readonly totalFailConnections?: Uint64Field;
  readonly loadMetricStats?: readonly MetricFields[];
  readonly cpuUtilization?: MetricFields | null;
  readonly memUtilization?: MetricFields | null;
  readonly applicationUtilization?: MetricFields | null;
  readonly upstreamEndpointStats?: readonly EndpointStatsFields[];
}
interface MetricFields {
  readonly metricName?: string;
  readonly numRequestsFinishedWithMetric?: Uint64Field;
  readonly totalMetricValue?: number;
}
interface EndpointStatsFields {
  readonly address?: {
    readonly socketAddress?: { readonly address?: string; readonly portValue?: number } | null;
    readonly pipe?: { readonly path?: string } | null;
  } | null;
  readonly totalSuccessfulRequests?: Uint64Field;
  readonly totalErrorRequests?: Uint64Field;
  readonly totalIssuedRequests?: Uint64Field;
  readonly totalRequestsInProgress?: Uint64Field;
  readonly loadMetricStats?: readonly MetricFields[];
}

/** As protobufjs decodes it: what the server's own reader is held against. */
export function decodeByProtobufjs(message: Uint8Array): LoadReportResult {
  let fields: ReportFields;
  try {
    fields = messageType('envoy.service.load_stats.v3.LoadStatsRequest').decode(message) as ReportFields;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      kind: 'malformed',
      reason: `expected a LoadStatsRequest, got ${message.length} bytes that do not decode: ${why}`,
    };
  }
  return {
    kind: 'report',
    node: fields.node ?? null,
    clusters: (fields.clusterStats ?? []).map(readCluster),
  };
}

function readCluster(stats: ClusterStatsFields): ClusterLoad {
  return {
    clusterName: stats.clusterName ?? '',
    clusterServiceName: stats.clusterServiceName ?? '',
    intervalMs: readInterval(stats.loadReportInterval),
    totalDropped: decimal(stats.totalDroppedRequests),
    dropped: (stats.droppedRequests ?? []).map(({ category, droppedCount }) => ({
      category: category ?? '',
      count: decimal(droppedCount),
    })),
    localities: (stats.upstreamLocalityStats ?? []).map(readLocality),
  };
}

function readLocality(stats: LocalityStatsFields): LocalityLoad {
  const { region = '', zone = '', subZone = '' } = stats.locality ?? {};
  const metrics = readMetrics(stats);
  const endpoints = (stats.upstreamEndpointStats ?? []).map(readEndpoint);
  return {
    locality: { region, zone, subZone },
    priority: stats.priority ?? 0,
    ...readRequests(stats),
    ...whereReported('newConnections', stats.totalNewConnections),
    ...whereReported('failedConnections', stats.totalFailConnections),
    ...whereReported('activeConnections', stats.totalActiveConnections),
    ...(metrics.length > 0 && { metrics }),
    ...(endpoints.length > 0 && { endpoints }),
  };
}

function readEndpoint(stats: EndpointStatsFields): EndpointLoad {
  const metrics = (stats.loadMetricStats ?? []).map((each) => readMetric(each.metricName ?? '', each));
  return {
    address: readAddress(stats.address),
    ...readRequests(stats),
    ...(metrics.length > 0 && { metrics }),
  };
}

function readRequests(
  stats: Pick<
    LocalityStatsFields,
    'totalSuccessfulRequests' | 'totalErrorRequests' | 'totalIssuedRequests' | 'totalRequestsInProgress'
  >,
): Pick<LocalityLoad, 'successful' | 'errors' | 'issued' | 'inProgress'> {
  const successful = decimal(stats.totalSuccessfulRequests);
  const errors = decimal(stats.totalErrorRequests);
  const issued = decimal(stats.totalIssuedRequests);
  // grpc-go never sets it, and proto3 cannot tell unset from 0. Requests that ended in a window may all have been
  // issued in an earlier one, and then this reads as "not reported" too: a gap is better than a wrong zero.
  const isIssuedReported = issued !== '0' || (successful === '0' && errors === '0');
  return {
    successful,
    errors,
    issued: isIssuedReported ? issued : null,
    inProgress: decimal(stats.totalRequestsInProgress),
  };
}

/** gRFC A85: three of them have fields of their own, all others have names. */
function readMetrics(stats: LocalityStatsFields): LoadMetric[] {
  const named = (stats.loadMetricStats ?? []).map((each) => readMetric(each.metricName ?? '', each));
  const own = [
    ['cpu_utilization', stats.cpuUtilization],
    ['mem_utilization', stats.memUtilization],
    ['application_utilization', stats.applicationUtilization],
  ] as const;
  return [...named, ...own.flatMap(([name, fields]) => (fields ? [readMetric(name, fields)] : []))];
}

function readMetric(name: string, fields: MetricFields): LoadMetric {
  const sum = fields.totalMetricValue ?? 0;
  return {
    name,
    count: decimal(fields.numRequestsFinishedWithMetric),
    sum: Number.isFinite(sum) ? sum : null,
  };
}

function readAddress(address: EndpointStatsFields['address']): string {
  const { socketAddress, pipe } = address ?? {};
  if (pipe) return `unix:${pipe.path ?? ''}`;
  const host = socketAddress?.address ?? '';
  return `${host.includes(':') ? `[${host}]` : host}:${socketAddress?.portValue ?? 0}`;
}

function whereReported<K extends string>(
  name: K,
  value: Uint64Field,
): { readonly [name in K]?: string } | undefined {
  const digits = decimal(value);
  return digits === '0' ? undefined : ({ [name]: digits } as { readonly [name in K]: string });
}

/**
 * The first report of grpc-go says that it covers 292 years (the largest int64 of nanoseconds). An interval of more
 * than a day, zero or less is no interval: it is taken as not reported, so that nobody computes a rate with it.
 */
function readInterval(interval: ClusterStatsFields['loadReportInterval']): number | null {
  if (interval === null || interval === undefined) return null;
  const ms = Number(interval.seconds?.toString() ?? 0) * 1_000 + (interval.nanos ?? 0) / 1e6;
  return ms > 0 && ms <= longestIntervalMs ? ms : null;
}

const longestIntervalMs = 24 * 60 * 60 * 1_000;

function decimal(value: Uint64Field): string {
  return value?.toString() ?? '0';
}
