import { keepPreviousData, type UseQueryOptions } from '@tanstack/react-query';
import type { LoadSeriesAnswer, LoadSplit } from '@/lib/api/load';
import { requestJson } from './api-client';
import { fetchLoadSeries, grows, silenceOf } from './fetch-load-series';
import { queryKeys } from './query-keys';

/** What is asked of one client's load, in the words of GET load/series; what is empty is not said. */
export interface ClientLoadParams {
  readonly by?: string;
  readonly cluster: string;
  readonly span: string;
  readonly measure?: string;
  readonly rules?: string;
  readonly limit?: number;
  /** ISO 8601: where the span ends; absent: now. */
  readonly to?: string;
}

export type LoadSeriesQueryOptions = UseQueryOptions<LoadSeriesAnswer>;
export type LoadSplitQueryOptions = UseQueryOptions<LoadSplit>;

const of = encodeURIComponent;

/** Up to now; asked as of a moment, up to it: see moment-queries.ts. */
export function clientLoadSeriesQuery(clientId: string, params: ClientLoadParams): LoadSeriesQueryOptions {
  const series = asking<LoadSeriesAnswer>(clientId, 'series', params);
  return {
    ...series,
    queryFn: fetchLoadSeries(() => series.meta.path),
    refetchInterval: params.to === undefined ? silenceOf : false,
    enabled: grows(params.to === undefined),
    structuralSharing: false,
  };
}

export function clientLoadSplitQuery(clientId: string, params: ClientLoadParams): LoadSplitQueryOptions {
  return {
    ...asking<LoadSplit>(clientId, 'split', params),
    enabled: (query) => params.cluster !== '' && grows<LoadSplit>(params.to === undefined)(query),
  };
}

/** Of the span that the permalink keeps. */
export function permalinkLoadSeriesQuery(id: string, params: ClientLoadParams): LoadSeriesQueryOptions {
  return askingFrozen<LoadSeriesAnswer>(id, 'series', params);
}

export function permalinkLoadSplitQuery(id: string, params: ClientLoadParams): LoadSplitQueryOptions {
  return { ...askingFrozen<LoadSplit>(id, 'split', params), enabled: params.cluster !== '' };
}

function asking<T>(
  clientId: string,
  what: 'series' | 'split',
  params: ClientLoadParams,
): UseQueryOptions<T> & {
  readonly meta: { readonly path: string };
} {
  const path = `load/${what}?${searchOf({ client: clientId, ...params })}`;
  return {
    queryKey: [...queryKeys.clientLoad(clientId), what, params],
    queryFn: ({ signal }) => requestJson<T>(path, { signal }),
    meta: { path },
    placeholderData: keepPreviousData,
    retry: false,
  };
}

function askingFrozen<T>(
  id: string,
  what: 'series' | 'split',
  { span: _, ...params }: ClientLoadParams,
): UseQueryOptions<T> {
  const path = `permalinks/${of(id)}/load/${what}?${searchOf(params)}`;
  return {
    queryKey: [...queryKeys.permalink(id), 'load', what, params],
    queryFn: ({ signal }) => requestJson<T>(path, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  };
}

function searchOf(params: object): URLSearchParams {
  return new URLSearchParams(
    Object.entries(params).flatMap(([name, value]) =>
      value === '' || value === undefined ? [] : [[name, String(value)]],
    ),
  );
}
