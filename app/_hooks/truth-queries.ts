'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Divergences, TruthPage } from '@/lib/api/truth';
import { requestJson } from './api-client';
import { queryKeys, type TruthParams } from './query-keys';

export const truthRowsPerPage = 100;
/** What probes and control planes tell comes on the topic of no single client. */
const liveMs = 3_000;

/** Of a client's resources, what is told of each on its way. */
export function useTruth(clientId: string, params: TruthParams, isEnabled = true) {
  const search = new URLSearchParams({ limit: String(truthRowsPerPage) });
  for (const [name, value] of Object.entries(params)) if (value !== '') search.set(name, String(value));
  return useQuery({
    queryKey: queryKeys.clientTruth(clientId, params),
    queryFn: ({ signal }) =>
      requestJson<TruthPage>(`clients/${encodeURIComponent(clientId)}/truth?${search}`, { signal }),
    // What was does not change.
    refetchInterval: params.at === '' ? liveMs : false,
    placeholderData: keepPreviousData,
    enabled: isEnabled,
  });
}

/** Where state of the world and delta tell different things. */
export function useDivergences() {
  return useQuery({
    queryKey: queryKeys.divergences,
    queryFn: ({ signal }) => requestJson<Divergences>('divergences', { signal }),
    refetchInterval: liveMs,
  });
}
