'use client';

import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { DescriptorSet } from '@/lib/api/descriptor-sets';
import type { ImportProblems } from '@/lib/api/imports';
import type { CredentialsShown, SourcePage } from '@/lib/api/schema';
import { answerOf, itemsOf } from './answer-of';
import { requestJson } from './api-client';
import { queryKeys } from './query-keys';

export function useImportProblems(importId: string, page: number, perPage: number) {
  return useQuery(
    answerOf<ImportProblems>(
      queryKeys.importProblems(importId, page),
      `imports/${encodeURIComponent(importId)}/problems?offset=${page * perPage}&limit=${perPage}`,
    ),
  );
}

/** The config file is read at the start only. */
export function useCredentials() {
  return useQuery({
    ...itemsOf<CredentialsShown>(queryKeys.credentials, 'credentials'),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useDescriptorSets() {
  return useQuery(itemsOf<DescriptorSet>(queryKeys.descriptorSets, 'descriptor-sets'));
}

const perPage = 200;

/** The stream has no topic for the targets of lists, which may be thousands. */
const refreshMs = 5_000;

/** The targets of a list, page by page; those that are down first. */
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
