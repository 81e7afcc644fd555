'use client';

import { keepPreviousData, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { LoadSeriesAnswer, LoadSplit, LoadTotalsAnswer } from '@/lib/api/load';
import { answerOf } from './answer-of';
import { fetchLoadSeries, grows, silenceOf } from './fetch-load-series';
import { queryKeys } from './query-keys';

/** The query of GET load/series; empty values are left out. */
export interface LoadParams {
  readonly by: string;
  readonly cluster: string;
  readonly client: string;
  /** ISO 8601. A `from` overrides the span; an empty `to` is now. */
  readonly from: string;
  readonly to: string;
  readonly limit?: number;
}

/** The query for a time range that ends at `to`, or now by the server's clock. */
export function loadSearch(spanMs: number, params: LoadParams, more: Record<string, string> = {}): string {
  const { from, ...rest } = params;
  const begin = from === '' ? { span: `${Math.round(spanMs / 1_000)}s` } : { from };
  const all = Object.entries({ ...rest, ...more, ...begin });
  return String(
    new URLSearchParams(
      all.flatMap(([key, value]) => (value === '' || value === undefined ? [] : [[key, String(value)]])),
    ),
  );
}

/** Live load is reloaded when the stream's topic `load` changes. */
export function isLiveLoad({ to }: Pick<LoadParams, 'to'>): boolean {
  return to === '' || Date.parse(to) >= Date.now();
}

export function useLoadSeries(spanMs: number, params: LoadParams, measures: readonly string[]) {
  return useQuery(loadSeriesQuery(spanMs, params, measures));
}

export function loadSeriesQuery(
  spanMs: number,
  params: LoadParams,
  measures: readonly string[],
): UseQueryOptions<LoadSeriesAnswer> {
  return {
    queryKey: [...queryKeys.load, 'series', spanMs, params, measures],
    queryFn: fetchLoadSeries(
      () => `load/series?${loadSearch(spanMs, params, { measure: measures.join(',') })}`,
    ),
    refetchInterval: (query) => isLiveLoad(params) && silenceOf(query),
    enabled: grows(isLiveLoad(params)),
    placeholderData: keepPreviousData,
    // The query function reuses the previous data itself.
    structuralSharing: false,
    retry: false,
  };
}

export function useLoadTotals(spanMs: number, params: LoadParams, isEnabled = true) {
  return useQuery({
    ...answerOf<LoadTotalsAnswer>(
      [...queryKeys.load, 'totals', spanMs, params],
      `load/totals?${loadSearch(spanMs, params)}`,
    ),
    placeholderData: keepPreviousData,
    retry: false,
    enabled: (query) => isEnabled && grows<LoadTotalsAnswer>(isLiveLoad(params))(query),
  });
}

export function useLoadSplit(spanMs: number, params: LoadParams, rules: string) {
  const { client, cluster } = params;
  return useQuery({
    ...answerOf<LoadSplit>(
      [...queryKeys.load, 'split', spanMs, params, rules],
      `load/split?${loadSearch(spanMs, { ...params, by: '' }, { rules })}`,
    ),
    placeholderData: keepPreviousData,
    retry: false,
    enabled: (query) => client !== '' && cluster !== '' && grows<LoadSplit>(isLiveLoad(params))(query),
  });
}
