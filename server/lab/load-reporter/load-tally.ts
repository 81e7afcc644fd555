import type { ShopLocality } from '../shop/shop-localities';

interface Counts {
  started: number;
  successful: number;
  failed: number;
  /** This is a gauge, which a report does not reset. */
  inProgress: number;
  /** The sum of the durations of ended requests, and the sum of the numbers of concurrent requests at their ends. */
  tookMs: number;
  underWay: number;
}

const noCounts = (): Counts => ({
  ...{ started: 0, successful: 0, failed: 0 },
  ...{ inProgress: 0, tookMs: 0, underWay: 0 },
});

/** Names of the reported metrics, as in an ORCA report of a backend. */
export const reportedMetrics = ['answer_ms', 'requests_under_way'] as const;

/** Requests to the endpoints of one cluster since the last report. */
export class LoadTally {
  readonly #endpoints = new Map<string, { readonly locality: ShopLocality; readonly counts: Counts }>();
  #dropped = 0;

  constructor(readonly cluster: string) {}

  drop(): void {
    this.#dropped += 1;
  }

  /** Starts a request. The returned function is called at its end. */
  begin(locality: ShopLocality, backend: string): (end: { isOk: boolean; tookMs: number }) => void {
    const known = this.#endpoints.get(backend) ?? { locality, counts: noCounts() };
    this.#endpoints.set(backend, known);
    const { counts } = known;
    counts.started += 1;
    counts.inProgress += 1;
    return ({ isOk, tookMs }) => {
      if (isOk) counts.successful += 1;
      else counts.failed += 1;
      counts.tookMs += tookMs;
      counts.underWay += counts.inProgress;
      counts.inProgress -= 1;
    };
  }

  /**
   * Returns a ClusterStats (with fields in protobufjs form) and resets the counters. `portOf` returns the port of a
   * backend; `withEndpoints` is set if the server requested endpoints.
   */
  take(intervalMs: number, withEndpoints: boolean, portOf: (backend: string) => number): object {
    const localities = new Map<string, { locality: ShopLocality; reported: Counts; endpoints: object[] }>();
    for (const [backend, { locality, counts }] of this.#endpoints) {
      const place = localities.get(locality.key) ?? { locality, reported: noCounts(), endpoints: [] };
      localities.set(locality.key, place);
      place.endpoints.push({
        ...statsOf(counts),
        address: { socketAddress: { address: '127.0.0.1', portValue: portOf(backend) } },
      });
      for (const name of Object.keys(counts) as (keyof Counts)[]) place.reported[name] += counts[name];
      Object.assign(counts, { ...noCounts(), inProgress: counts.inProgress });
    }
    const dropped = this.#dropped;
    this.#dropped = 0;
    return {
      clusterName: this.cluster,
      loadReportInterval: {
        seconds: Math.floor(intervalMs / 1_000),
        nanos: Math.round(intervalMs % 1_000) * 1e6,
      },
      totalDroppedRequests: dropped,
      droppedRequests: dropped === 0 ? [] : [{ category: 'throttle', droppedCount: dropped }],
      upstreamLocalityStats: [...localities.values()].map(({ locality, reported, endpoints }) => ({
        ...statsOf(reported),
        locality: { region: locality.locality.region, zone: locality.locality.zone },
        priority: locality.priority,
        ...(withEndpoints && { upstreamEndpointStats: endpoints }),
      })),
    };
  }
}

function statsOf({ started, successful, failed, inProgress, tookMs, underWay }: Counts): object {
  const ended = successful + failed;
  const [answerMs, requestsUnderWay] = reportedMetrics;
  return {
    totalIssuedRequests: started,
    totalSuccessfulRequests: successful,
    totalErrorRequests: failed,
    totalRequestsInProgress: inProgress,
    loadMetricStats:
      ended === 0
        ? []
        : [
            { metricName: answerMs, numRequestsFinishedWithMetric: ended, totalMetricValue: tookMs },
            {
              metricName: requestsUnderWay,
              numRequestsFinishedWithMetric: ended,
              totalMetricValue: underWay,
            },
          ],
  };
}
