import type { ClusterLoad, LocalityLoad } from '@/lib/observation/observation';
import { messageType } from '../codec/root';

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
}

/** One LoadStatsRequest. Counters stay exact, whatever their size. */
export function decodeLoadReport(message: Uint8Array): LoadReportResult {
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
  const successful = decimal(stats.totalSuccessfulRequests);
  const errors = decimal(stats.totalErrorRequests);
  const issued = decimal(stats.totalIssuedRequests);
  // grpc-go never sets it, and proto3 cannot tell unset from 0. Requests that ended in a window may all have been
  // issued in an earlier one, and then this reads as "not told" too: a gap is better than a wrong zero.
  const isIssuedTold = issued !== '0' || (successful === '0' && errors === '0');
  return {
    locality: { region, zone, subZone },
    priority: stats.priority ?? 0,
    successful,
    errors,
    issued: isIssuedTold ? issued : null,
    inProgress: decimal(stats.totalRequestsInProgress),
  };
}

/**
 * The first report of grpc-go says that it covers 292 years (the largest int64 of nanoseconds). An interval of more
 * than a day, zero or less is no interval: it is taken as not told, so that nobody computes a rate with it.
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
