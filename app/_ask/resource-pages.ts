import type { InfiniteData, QueryKey, UseInfiniteQueryOptions } from '@tanstack/react-query';
import type { ResourcePage } from '@/lib/views/resources/schema';
import { atMoment, type ClientQuery, clientQuestionOptions, requestAnswer } from './client-question';
import { type ClientSubject, cacheTimesOf, keepPreviousOf, subjectKey } from './client-subject';

export type ResourcePages = InfiniteData<ResourcePage, string>;
/** The filters and the order of the rows. */
export type RowsQuery = Omit<ClientQuery<'resources'>, 'limit' | 'cursor'>;
type ResourcePagesOptions = UseInfiniteQueryOptions<ResourcePage, Error, ResourcePages, QueryKey, string>;

/** The page parameter of the first page, which has no cursor. */
export const firstPage = '';

/** A few screens: the next page is fetched before it is scrolled to. */
export const rowsPerPage = 200;

/** The rows of a client, page by page. The last part of the key is the query. */
export function resourcePagesOptions(subject: ClientSubject, query: RowsQuery): ResourcePagesOptions {
  return {
    queryKey: [...subjectKey(subject), 'resources', 'pages', query],
    queryFn: ({ pageParam, signal }) =>
      requestAnswer(
        subject,
        'resources',
        { ...query, limit: rowsPerPage, ...(pageParam !== firstPage && { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: firstPage,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: query.name === undefined ? keepPreviousOf(subject) : undefined,
    ...cacheTimesOf(subject),
    meta: {
      prefetchAt: (cache, at) =>
        cache.prefetchInfiniteQuery(resourcePagesOptions(atMoment(subject, at), query)),
    },
  };
}

export function resourceCountsOptions(subject: ClientSubject, { sort: _, ...query }: RowsQuery) {
  return clientQuestionOptions(subject, 'resources', { ...query, limit: 0 });
}
