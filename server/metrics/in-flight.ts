import type { LoadTable } from '@/lib/view-model/load/load-table';
import type { EpochMs } from '@/lib/xds/units';
import type { MetricFamily } from './exposition';

/** A gauge is of its moment: after three reports that did not come, and a minute, nobody knows it any more. */
const missedReports = 3;
const leastMs = 60_000;

/** What is in flight now, as far as anybody knows. */
export function inFlightFamilies(load: Pick<LoadTable, 'inFlight'>, now: EpochMs): MetricFamily[] {
  const { lines, silent } = load.inFlight(now, (intervalMs) =>
    Math.max(leastMs, missedReports * (intervalMs ?? 0)),
  );
  return [
    {
      ...{ name: 'xdscope_load_requests_in_flight', type: 'gauge' },
      help: 'Requests in progress, by the newest report of each client; of clients that missed three reports, and were silent for a minute, nothing.',
      samples: lines.map(({ sourceId, clusterName, locality, priority, inFlight }) => ({
        labels: {
          ...{ source: sourceId, cluster: clusterName, region: locality.region, zone: locality.zone },
          ...{ sub_zone: locality.subZone, priority: String(priority) },
        },
        value: inFlight,
      })),
    },
    {
      ...{ name: 'xdscope_load_silent_clusters', type: 'gauge' },
      help: 'Clusters of clients that are left out of the requests in flight, as nothing was told of them for so long.',
      samples: [{ value: silent }],
    },
  ];
}
