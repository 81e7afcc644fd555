'use client';

import { keepPreviousData, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { LoadSeriesAnswer, LoadSplit, LoadTotalsAnswer } from '@/lib/api/load';
import type { LoadRowsPage } from '@/lib/api/schema';
import { splitPartOf } from '@/lib/lb/split-part';
import type { LoadSort } from '@/lib/load/load-question';
import { answerOf } from './answer-of';
import { isLiveExtent, loadRange } from './extent';
import { fetchLoadSeries, grows, silenceOf } from './fetch-load-series';
import { queryKeys } from './query-keys';

/** The query of GET load/series; empty values are left out. */
export interface LoadParams {
  readonly by: string;
  readonly cluster: string;
  readonly client: string;
  /** As in useTimeRange().extent. */
  readonly from: string;
  readonly to: string;
  readonly limit?: number;
  /** Only of series. */
  readonly sort?: LoadSort;
}

/** The query for the time range at the time of the request. */
export function loadSearch(params: LoadParams, more: Record<string, string> = {}): string {
  const { from, to, ...rest } = params;
  const all = Object.entries({ ...rest, ...more, ...loadRange({ from, to }) });
  return String(
    new URLSearchParams(
      all.flatMap(([key, value]) => (value === '' || value === undefined ? [] : [[key, String(value)]])),
    ),
  );
}

/** Empty texts mean all clients and all clusters. */
export function useLoad({ client, cluster }: { readonly client: string; readonly cluster: string }) {
  const search = new URLSearchParams({ ...(client && { client }), ...(cluster && { cluster }) }).toString();
  return useQuery({
    ...answerOf<LoadRowsPage>([...queryKeys.load, 'newest', search], `load?${search}`),
    placeholderData: keepPreviousData,
  });
}

export function useLoadSeries(params: LoadParams, measures: readonly string[]) {
  return useQuery(loadSeriesQuery(params, measures));
}

export function loadSeriesQuery(
  params: LoadParams,
  measures: readonly string[],
): UseQueryOptions<LoadSeriesAnswer> {
  return {
    queryKey: [...queryKeys.load, 'series', params, measures],
    queryFn: fetchLoadSeries(() => `load/series?${loadSearch(params, { measure: measures.join(',') })}`),
    refetchInterval: (query) => isLiveExtent(params) && silenceOf(query),
    enabled: grows(isLiveExtent(params)),
    placeholderData: keepPreviousData,
    // The query function reuses the previous data itself.
    structuralSharing: false,
    retry: false,
  };
}

export function useLoadTotals(params: LoadParams, isEnabled = true) {
  return useQuery({
    ...answerOf<LoadTotalsAnswer>([...queryKeys.load, 'totals', params], `load/totals?${loadSearch(params)}`),
    placeholderData: keepPreviousData,
    retry: false,
    enabled: (query) => isEnabled && grows<LoadTotalsAnswer>(isLiveExtent(params))(query),
  });
}

/** The split is by endpoint if the grouping is, and otherwise by locality. */
export function useLoadSplit(params: LoadParams, rules: string) {
  const { client, cluster } = params;
  const by = splitPartOf(params.by);
  return useQuery({
    ...answerOf<LoadSplit>(
      [...queryKeys.load, 'split', params, rules],
      `load/split?${loadSearch({ ...params, by }, { rules })}`,
    ),
    placeholderData: keepPreviousData,
    retry: false,
    enabled: (query) => client !== '' && cluster !== '' && grows<LoadSplit>(isLiveExtent(params))(query),
  });
}
