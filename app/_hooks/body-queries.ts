'use client';

import { useQuery } from '@tanstack/react-query';
import type { ResourceBody } from '@/lib/api/schema';
import { answerOf } from './answer-of';
import { type BodyFormat, queryKeys } from './query-keys';

/** The body of a hash never changes and is fetched once. */
export function resourceBodyOptions(hash: string, format: BodyFormat) {
  return {
    ...answerOf<ResourceBody>(
      queryKeys.resourceBody(hash, format),
      `resources/${encodeURIComponent(hash)}?format=${format}&meta=1`,
    ),
    staleTime: Number.POSITIVE_INFINITY,
  };
}

export function useResourceBody(hash: string | null, format: BodyFormat = 'yaml') {
  return useQuery({
    ...resourceBodyOptions(hash ?? '', format),
    enabled: hash !== null,
    refetchOnMount: false,
  });
}
