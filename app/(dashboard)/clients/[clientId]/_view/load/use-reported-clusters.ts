'use client';

import { useQuery } from '@tanstack/react-query';
import { clientLoadSeriesOptions } from '@/app/_ask/client-load';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { useTimeRange } from '@/app/_hooks/use-time-range';
import { useClientViewQuery } from '../use-client-view-query';
import { loadParams } from './search-params';

const mostClusters = 500;

/** The clusters of the client's load reports in the time range. */
export function useReportedClusters() {
  const { subject } = useClientViewData();
  const { query } = useClientViewQuery(loadParams);
  const { extent } = useTimeRange();
  const params = { by: 'cluster', cluster: '', extent, limit: mostClusters };
  const { data } = useQuery(clientLoadSeriesOptions(subject, params));
  const names = data?.groups.flatMap(({ key }) => key.clusterName ?? []) ?? [];
  return {
    names,
    /** The cluster whose split is shown: the chosen one, or the one with the most load. Empty: none is known. */
    splitCluster: query.cluster !== '' ? query.cluster : (names[0] ?? ''),
    isUnreported: data !== undefined && names.length === 0 && query.cluster === '',
    /** The end of the time range by the server's clock. */
    to: data?.to,
  };
}
