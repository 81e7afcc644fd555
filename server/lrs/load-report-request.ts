import { messageType } from '../codec/root';

/** What clients are asked to report. */
export interface LoadReportRequest {
  readonly intervalMs: number;
  /** Clusters by name; null: all of them. */
  readonly clusters: readonly string[] | null;
  /** Of each endpoint, too. Envoy does; no gRPC does, and grpc-go closes a stream that asks for it. */
  readonly endpoints: boolean;
}

/** A LoadStatsResponse. */
export function encodeLoadReportRequest({ intervalMs, clusters, endpoints }: LoadReportRequest): Buffer {
  const type = messageType('envoy.service.load_stats.v3.LoadStatsResponse');
  const loadReportingInterval = {
    seconds: Math.floor(intervalMs / 1_000),
    nanos: (intervalMs % 1_000) * 1e6,
  };
  // grpc-js takes a name for listed only where it is not the first (indexOf(name) > 0): one of no cluster leads them.
  const chosen = clusters === null ? { sendAllClusters: true } : { clusters: ['', ...clusters] };
  return Buffer.from(
    type
      .encode(
        type.create({
          ...chosen,
          loadReportingInterval,
          ...(endpoints && { reportEndpointGranularity: true }),
        }),
      )
      .finish(),
  );
}
