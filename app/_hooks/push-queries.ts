'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Churn } from '@/lib/api/churn';
import type { Convergence, RecentConvergence } from '@/lib/api/convergence';
import { answerOf } from './answer-of';
import { requestJson } from './api-client';
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
function liveOf({ to }: Extent, everyMs: number): () => number | false {
  return () => (to !== '' && Date.parse(to) < Date.now() ? false : everyMs);
}

function searchOf(params: object): URLSearchParams {
  return new URLSearchParams(Object.entries(params).filter(([, value]) => value !== ''));
}

export function isOnePush({ type, version, resource }: PushParams): boolean {
  return type !== '' && (version !== '' || resource !== '');
}

export function usePushes(extent: Extent) {
  return useQuery({
    ...answerOf<RecentConvergence>(
      ['convergence', 'recent', extent],
      `convergence/recent?${searchOf({ limit: 50, ...extent })}`,
    ),
    refetchInterval: liveOf(extent, liveMs),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

export function usePush({ type, version, server, resource, hash, from, to }: PushParams) {
  const params = { type, version, server, resource, hash, from, to };
  return useQuery({
    ...answerOf<Convergence>(['convergence', 'of', params], `convergence?${searchOf(params)}`),
    refetchInterval: liveOf(params, liveMs),
    enabled: isOnePush(params),
    retry: false,
  });
}

/** The time range ends at `to`, or now; without `from` its beginning is computed for each request. */
export function useChurn(spanMs: number, type: string, { from, to }: Extent) {
  return useQuery({
    queryKey: ['churn', spanMs, type, from, to],
    queryFn: ({ signal }) => {
      const end = to === '' ? Date.now() : Date.parse(to);
      const begin = from === '' && !Number.isNaN(end) ? new Date(end - spanMs).toISOString() : from;
      return requestJson<Churn>(`churn?${searchOf({ from: begin, to, type })}`, { signal });
    },
    refetchInterval: liveOf({ from, to }, Math.max(churnLiveMs, spanMs / 240)),
    placeholderData: keepPreviousData,
    retry: false,
  });
}
