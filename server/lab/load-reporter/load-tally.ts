import type { ShopLocality } from '../shop/shop-localities';

interface Counts {
  started: number;
  successful: number;
  failed: number;
  /** A gauge: it outlives a report. */
  inProgress: number;
  /** Of the requests that ended: how long they took together, and how many were under way when each ended. */
  tookMs: number;
  underWay: number;
}

const noCounts = (): Counts => ({
  ...{ started: 0, successful: 0, failed: 0 },
  ...{ inProgress: 0, tookMs: 0, underWay: 0 },
});

/** Names of the metrics that the reporter reports, as a backend's ORCA report would name them. */
export const reportedMetrics = ['answer_ms', 'requests_under_way'] as const;

/** Requests to the endpoints of one cluster since the last report. */
export class LoadTally {
  readonly #endpoints = new Map<string, { readonly locality: ShopLocality; readonly counts: Counts }>();
  #dropped = 0;

  constructor(readonly cluster: string) {}

  drop(): void {
    this.#dropped += 1;
  }

  /** A request begins; the answer is what to call at its end. */
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
   * A ClusterStats (its fields as protobufjs takes them), and the counters begin anew. `addressOf`: where the backend
   * listens; `withEndpoints`: as the server asked.
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

/** Fields that a locality and an endpoint have in common. */
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
