'use client';

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { SourcePage } from '@/lib/api/schema';
import { requestJson } from './api-client';
import { queryKeys } from './query-keys';

const perPage = 200;
/** They come on no topic of the stream: there are thousands. */
const refreshMs = 5_000;

/** The targets of a list, as far as somebody has scrolled; down ones first. */
export function useListMembers(listId: string, text: string) {
  return useInfiniteQuery({
    queryKey: [...queryKeys.sources, 'of', listId, text],
    queryFn: ({ pageParam, signal }) => {
      const search = new URLSearchParams({ list: listId, offset: `${pageParam}`, limit: `${perPage}` });
      if (text !== '') search.set('q', text);
      return requestJson<SourcePage>(`sources?${search}`, { signal });
    },
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => {
      const read = pages.reduce((sum, { items }) => sum + items.length, 0);
      return read < total ? read : undefined;
    },
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
}
