import type { ClusterLoad, LoadReported, LocalityLoad } from '@/lib/observation/observation';
import { sampleNode } from './observation-samples';

/** The load of a zone, which is zero except for `reported`. */
export function localityLoad(zone: string, reported: Partial<LocalityLoad> = {}): LocalityLoad {
  return {
    locality: { region: 'eu', zone, subZone: '' },
    ...{ priority: 0, successful: '0', errors: '0', issued: '0', inProgress: '0' },
    ...reported,
  };
}

export function clusterLoad(
  localities: readonly LocalityLoad[],
  reported: Partial<ClusterLoad> = {},
): ClusterLoad {
  return {
    ...{ clusterName: 'cart', clusterServiceName: '', intervalMs: 10_000, totalDropped: '0', dropped: [] },
    localities,
    ...reported,
  };
}

export function loadReported(
  at: number,
  clusters: readonly ClusterLoad[],
  reported: Partial<LoadReported> = {},
): LoadReported {
  return {
    ...{ kind: 'load-reported', at, vantage: 'lrs', sourceId: 'lrs', clientId: 'web', scope: '' },
    ...{ node: sampleNode('web'), streamId: 's1', clusters },
    ...reported,
  };
}
