'use client';

import { keepPreviousData, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { LoadSeriesAnswer, LoadSplit, LoadTotalsAnswer } from '@/lib/api/load';
import { requestJson } from './api-client';

/** What is asked, in the words of GET load/series; what is empty is not said. */
export interface LoadParams {
  readonly by: string;
  readonly cluster: string;
  readonly client: string;
  /** ISO 8601. `from` counts more than the span; an empty `to` is now. */
  readonly from: string;
  readonly to: string;
  readonly limit?: number;
}

const liveMs = 5_000;

/** Of a span that ends at `to`, or now: then its beginning is reckoned anew with each question. */
export function loadSearch(spanMs: number, params: LoadParams, more: Record<string, string> = {}): string {
  const { from, to, ...rest } = params;
  const end = to === '' ? Date.now() : Date.parse(to);
  const begin = from === '' && !Number.isNaN(end) ? new Date(end - spanMs).toISOString() : from;
  const all = Object.entries({ ...rest, ...more, from: begin, to });
  return String(
    new URLSearchParams(
      all.flatMap(([key, value]) => (value === '' || value === undefined ? [] : [[key, String(value)]])),
    ),
  );
}

function liveOf(spanMs: number, { to }: LoadParams): () => number | false {
  return () => (to !== '' && Date.parse(to) < Date.now() ? false : Math.max(liveMs, spanMs / 300));
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
    queryKey: ['load-series', spanMs, params, measures],
    queryFn: ({ signal }) =>
      requestJson<LoadSeriesAnswer>(
        `load/series?${loadSearch(spanMs, params, { measure: measures.join(',') })}`,
        { signal },
      ),
    refetchInterval: liveOf(spanMs, params),
    placeholderData: keepPreviousData,
    retry: false,
  };
}

export function useLoadTotals(spanMs: number, params: LoadParams, isEnabled = true) {
  return useQuery({
    queryKey: ['load-totals', spanMs, params],
    queryFn: ({ signal }) =>
      requestJson<LoadTotalsAnswer>(`load/totals?${loadSearch(spanMs, params)}`, { signal }),
    refetchInterval: liveOf(spanMs, params),
    placeholderData: keepPreviousData,
    retry: false,
    enabled: isEnabled,
  });
}

/** Of one client and one cluster. */
export function useLoadSplit(spanMs: number, params: LoadParams, rules: string) {
  const { client, cluster } = params;
  return useQuery({
    queryKey: ['load-split', spanMs, params, rules],
    queryFn: ({ signal }) =>
      requestJson<LoadSplit>(`load/split?${loadSearch(spanMs, { ...params, by: '' }, { rules })}`, {
        signal,
      }),
    refetchInterval: liveOf(spanMs, params),
    placeholderData: keepPreviousData,
    retry: false,
    enabled: client !== '' && cluster !== '',
  });
}
