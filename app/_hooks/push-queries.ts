'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Churn } from '@/lib/api/churn';
import type { Convergence, RecentConvergence } from '@/lib/api/convergence';
import { requestJson } from './api-client';
import { isLiveExtent, resolveExtent } from './extent';
import type { Extent } from './query-keys';

/** The query of GET convergence; empty values are left out. */
export interface PushParams {
  readonly type: string;
  readonly version: string;
  readonly server: string;
  readonly resource: string;
  readonly hash: string;
  readonly from: string;
  readonly to: string;
}

const liveMs = 3_000;
const churnLiveMs = 15_000;

/** A time range in the past does not change. */
function liveOf(extent: Extent, everyMs: number): () => number | false {
  return () => (isLiveExtent(extent) ? everyMs : false);
}

function searchOf(params: object): URLSearchParams {
  return new URLSearchParams(Object.entries(params).filter(([, value]) => value !== ''));
}

export function isOnePush({ type, version, resource }: PushParams): boolean {
  return type !== '' && (version !== '' || resource !== '');
}

export function usePushes(extent: Extent) {
  return useQuery({
    queryKey: ['convergence', 'recent', extent],
    queryFn: ({ signal }) =>
      requestJson<RecentConvergence>(
        `convergence/recent?${searchOf({ limit: 50, ...resolveExtent(extent) })}`,
        {
          signal,
        },
      ),
    refetchInterval: liveOf(extent, liveMs),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

export function usePush({ type, version, server, resource, hash, from, to }: PushParams) {
  const params = { type, version, server, resource, hash, from, to };
  return useQuery({
    queryKey: ['convergence', 'of', params],
    queryFn: ({ signal }) =>
      requestJson<Convergence>(`convergence?${searchOf({ ...params, ...resolveExtent(params) })}`, {
        signal,
      }),
    refetchInterval: liveOf(params, liveMs),
    enabled: isOnePush(params),
    retry: false,
  });
}

/** `oldestAt`: the beginning of the recording, where a range without a start begins; null: nothing is recorded. */
export function useChurn(extent: Extent, type: string, oldestAt: string | null) {
  return useQuery({
    queryKey: ['churn', type, extent, oldestAt],
    queryFn: ({ signal }) => {
      const { from, to } = resolveExtent(extent);
      const begin = [from, oldestAt ?? ''].sort().at(-1);
      return requestJson<Churn>(`churn?${searchOf({ from: begin, to, type })}`, { signal });
    },
    refetchInterval: liveOf(extent, churnLiveMs),
    placeholderData: keepPreviousData,
    retry: false,
  });
}
