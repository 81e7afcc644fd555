import { boundedCache } from '../../bounded-cache';
import { messageType } from '../../codec/root';

export interface LoadReportRequest {
  readonly intervalMs: number;
  /** Names of clusters, or null for all of them. */
  readonly clusters: readonly string[] | null;
  /** Requests the load of each endpoint, which Envoy reports. grpc-go closes a stream that requests it. */
  readonly endpoints: boolean;
}

/** A LoadStatsResponse. */
export function encodeLoadReportRequest({ intervalMs, clusters, endpoints }: LoadReportRequest): Buffer {
  const type = messageType('envoy.service.load_stats.v3.LoadStatsResponse');
  const loadReportingInterval = {
    seconds: Math.floor(intervalMs / 1_000),
    nanos: (intervalMs % 1_000) * 1e6,
  };
  // grpc-js treats a name as listed only if it is not the first (indexOf(name) > 0), so an empty name precedes them.
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

/** After this time another client may run at the address. */
const retryMs = 3_600_000;
const clientsKept = 20_000;

/**
 * Records clients that cannot report endpoints. grpc-go ends a stream that requests them and reconnects, repeatedly. A
 * client that ended such a stream before its first report gets no such request for an hour.
 */
export class EndpointRejections {
  readonly #now: () => number;
  readonly #rejectedAt = boundedCache<number>(clientsKept);

  constructor(now: () => number) {
    this.#now = now;
  }

  mayAsk(clientId: string): boolean {
    const at = this.#rejectedAt.get(clientId);
    return at === undefined || this.#now() - at >= retryMs;
  }

  noteEnd(
    clientId: string,
    { requested, reported }: { readonly requested: boolean; readonly reported: boolean },
  ) {
    if (requested && !reported) this.#rejectedAt.set(clientId, this.#now());
  }

  get count(): number {
    return this.#rejectedAt.size;
  }
}
