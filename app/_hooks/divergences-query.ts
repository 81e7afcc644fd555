'use client';

import { useQuery } from '@tanstack/react-query';
import type { Divergences } from '@/lib/api/propagation';
import { requestJson } from './api-client';
import { queryKeys } from './query-keys';

/** What probes and control planes tell comes on the topic of no single client. */
const liveMs = 3_000;

/** Where state of the world and delta tell different things. */
export function useDivergences() {
  return useQuery({
    queryKey: queryKeys.divergences,
    queryFn: ({ signal }) => requestJson<Divergences>('divergences', { signal }),
    refetchInterval: liveMs,
  });
}
