import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  type UseQueryOptions,
} from '@tanstack/react-query';
import type { ResourcePage } from '@/lib/api/resource-pages';
import {
  formatResourceSort,
  type ResourceFilter,
  type ResourceQuestion,
} from '@/lib/view-model/client-resources/resource-question';
import { formatTypeKey } from '@/lib/view-model/client-resources/resource-ref';
import { requestJson } from './api-client';
import { queryKeys } from './query-keys';

/** Rows of a client, live or stored, as far as somebody has scrolled. */
export type ResourcePages = InfiniteData<ResourcePage, string | null>;
export type ResourcePagesOptions = UseInfiniteQueryOptions<
  ResourcePage,
  Error,
  ResourcePages,
  QueryKey,
  string | null
>;
/** What is counted beside the rows. */
export type ResourceCountsOptions = UseQueryOptions<ResourcePage>;

/** A few screens: what is scrolled to comes before it is seen. */
export const rowsPerPage = 200;

const of = encodeURIComponent;

export function clientResourcePagesQuery(clientId: string, question: ResourceQuestion): ResourcePagesOptions {
  return {
    queryKey: queryKeys.clientResourcePages(clientId, question),
    ...pagesOf(`clients/${of(clientId)}/resources`, question),
    meta: { path: `clients/${of(clientId)}/resources?${pagesSearch(question)}`, isPaged: true },
  };
}

export function clientResourceCountsQuery(clientId: string, filter: ResourceFilter): ResourceCountsOptions {
  return {
    queryKey: [...queryKeys.clientResourceCounts(clientId), filter],
    ...countsOf(`clients/${of(clientId)}/resources`, filter),
    meta: { path: `clients/${of(clientId)}/resources?${resourcesSearch(filter, 0)}` },
  };
}

export function permalinkResourcePagesQuery(id: string, question: ResourceQuestion): ResourcePagesOptions {
  return {
    queryKey: [...queryKeys.permalink(id), 'resources', 'pages', question],
    ...pagesOf(`permalinks/${of(id)}/resources`, question),
    staleTime: Number.POSITIVE_INFINITY,
  };
}

export function permalinkResourceCountsQuery(id: string, filter: ResourceFilter): ResourceCountsOptions {
  return {
    queryKey: [...queryKeys.permalink(id), 'resources', 'counts', filter],
    ...countsOf(`permalinks/${of(id)}/resources`, filter),
    staleTime: Number.POSITIVE_INFINITY,
  };
}

function pagesOf(path: string, question: ResourceQuestion): Omit<ResourcePagesOptions, 'queryKey'> {
  return {
    queryFn: ({ pageParam, signal }) => {
      const search = pagesSearch(question);
      if (pageParam !== null) search.set('cursor', pageParam);
      return requestJson<ResourcePage>(`${path}?${search}`, { signal });
    },
    initialPageParam: null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // Other filters keep the rows before in sight; another resource must not show this one's.
    placeholderData: question.name === undefined ? keepPreviousData : undefined,
  };
}

function countsOf(path: string, filter: ResourceFilter): Omit<ResourceCountsOptions, 'queryKey'> {
  return {
    queryFn: ({ signal }) => requestJson<ResourcePage>(`${path}?${resourcesSearch(filter, 0)}`, { signal }),
    placeholderData: keepPreviousData,
  };
}

function pagesSearch(question: ResourceQuestion): URLSearchParams {
  const search = resourcesSearch(question, rowsPerPage);
  if (question.sort !== null) search.set('sort', formatResourceSort(question.sort));
  return search;
}

/** A resource's name may be empty. */
function resourcesSearch({ typeUrls, statuses, name, text }: ResourceFilter, limit: number): URLSearchParams {
  const search = new URLSearchParams([
    ...typeUrls.map((typeUrl) => ['type', formatTypeKey(typeUrl)]),
    ...statuses.map((status) => ['status', status]),
  ]);
  if (name !== undefined) search.set('name', name);
  if (text !== '') search.set('q', text);
  search.set('limit', String(limit));
  return search;
}
