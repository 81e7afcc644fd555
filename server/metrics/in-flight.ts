import type { Steps } from '@/lib/steps/steps';
import type { LoadTable } from '@/lib/view-model/load/load-table';
import type { EpochMs } from '@/lib/xds/units';
import { type MetricFamily, maxLinesPerMetric } from './exposition';

/** Requests in flight by the newest load reports. */
export function* inFlightFamilies(load: Pick<LoadTable, 'inFlight'>, now: EpochMs): Steps<MetricFamily[]> {
  const { lines, dropped, silent } = yield* load.inFlight(now, maxLinesPerMetric);
  return [
    {
      ...{ name: 'xdscope_load_requests_in_flight', type: 'gauge', dropped },
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
      help: 'Clusters of clients that are left out of the requests in flight, since their newest report is too old.',
      samples: [{ value: silent }],
    },
  ];
}
