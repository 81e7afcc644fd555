'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Churn } from '@/lib/api/churn';
import type { Convergence, RecentConvergence } from '@/lib/api/convergence';
import { requestJson } from './api-client';

/** What is open, in the words of GET convergence; what is empty is not said. */
export interface ConvergenceParams {
  readonly type: string;
  readonly version: string;
  readonly server: string;
  readonly resource: string;
  readonly hash: string;
}

const liveMs = 3_000;
const churnLiveMs = 15_000;

function searchOf(params: object): URLSearchParams {
  return new URLSearchParams(Object.entries(params).filter(([, value]) => value !== ''));
}

export function isOpenSubject({ type, version, resource }: ConvergenceParams): boolean {
  return type !== '' && (version !== '' || resource !== '');
}

export function useRecentConvergence(isOn: boolean) {
  return useQuery({
    queryKey: ['convergence', 'recent'],
    queryFn: ({ signal }) => requestJson<RecentConvergence>('convergence/recent?limit=50', { signal }),
    refetchInterval: liveMs,
    enabled: isOn,
  });
}

export function useConvergence(params: ConvergenceParams) {
  return useQuery({
    queryKey: ['convergence', 'of', params],
    queryFn: ({ signal }) => requestJson<Convergence>(`convergence?${searchOf(params)}`, { signal }),
    refetchInterval: liveMs,
    enabled: isOpenSubject(params),
    retry: false,
  });
}

/** The span ends now: `from` is reckoned anew with each question. */
export function useChurn(spanMs: number, type: string) {
  return useQuery({
    queryKey: ['churn', spanMs, type],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - spanMs).toISOString();
      return requestJson<Churn>(`churn?${searchOf({ from, type })}`, { signal });
    },
    refetchInterval: Math.max(churnLiveMs, spanMs / 240),
    placeholderData: keepPreviousData,
  });
}
