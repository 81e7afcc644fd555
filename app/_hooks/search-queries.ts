'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { HoldersAnswer, SearchAnswer } from '@/lib/api/search';
import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import { answerOf } from './answer-of';
import { type HoldersParams, holdersKey, holdersPerPage } from './search-keys';

const searchLiveMs = 5_000;

/** Without a text there is no request. */
export function useSearch(text: string, limit: number) {
  const q = text.trim();
  return useQuery({
    ...answerOf<SearchAnswer>(
      ['search', q, limit],
      `search?${new URLSearchParams({ q, limit: String(limit) })}`,
    ),
    enabled: q !== '',
    // The previous results stay until the first answer to another text.
    placeholderData: q === '' ? undefined : keepPreviousData,
    refetchInterval: searchLiveMs,
  });
}

export function useHolders(params: HoldersParams) {
  const { typeUrl, name, q, offset } = params;
  const search = new URLSearchParams({
    ...{ type: normaliseTypeUrl(typeUrl), name, q },
    ...{ offset: String(offset), limit: String(holdersPerPage) },
  });
  return useQuery({
    ...answerOf<HoldersAnswer>(holdersKey(params), `holders?${search}`),
    refetchInterval: searchLiveMs,
    placeholderData: keepPreviousData,
  });
}
