'use client';

import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { DiffAnswer } from '@/lib/api/diff';
import { parseDiffAddress } from '@/lib/view-model/compare/diff-address';
import { requestJson } from './api-client';

/** The query of GET diff; empty values are left out. */
export interface DiffParams {
  readonly left: string;
  readonly right: string;
  readonly kind?: string;
  readonly type?: string;
  readonly q?: string;
  readonly versions?: string;
}

const rowsPerPage = 500;
/** The interval of reloads if a side is a client now. */
const liveMs = 5_000;
/** Comparing two large configs without common resources takes long. */
const timeoutMs = 120_000;

function isNow(address: string): boolean {
  const parsed = parseDiffAddress(address);
  return parsed?.what === 'client' && parsed.at === null;
}

function optionsOf({ left, right }: DiffParams) {
  const isLive = isNow(left) || isNow(right);
  return {
    enabled: left !== '' && right !== '',
    retry: false,
    refetchInterval: isLive ? liveMs : (false as const),
    staleTime: isLive ? 0 : Number.POSITIVE_INFINITY,
  };
}

function ask(params: DiffParams, offset: number, limit: number, signal: AbortSignal): Promise<DiffAnswer> {
  const reported = Object.entries(params).filter(([, value]) => value !== '' && value !== undefined);
  const search = new URLSearchParams([...reported, ['offset', String(offset)], ['limit', String(limit)]]);
  return requestJson<DiffAnswer>(`diff?${search}`, { signal, timeoutMs });
}

export function useDiffPages(params: DiffParams) {
  return useInfiniteQuery({
    queryKey: ['diff', 'pages', params],
    queryFn: ({ signal, pageParam }) => ask(params, pageParam, rowsPerPage, signal),
    initialPageParam: 0,
    getNextPageParam: ({ offset, items, total }: DiffAnswer) =>
      offset + items.length < total && items.length > 0 ? offset + items.length : undefined,
    placeholderData: keepPreviousData,
    ...optionsOf(params),
  });
}

export function useResourceDiff(left: string, right: string) {
  return useQuery({
    queryKey: ['diff', 'resource', left, right],
    queryFn: ({ signal }) => ask({ left, right }, 0, 1, signal),
    ...optionsOf({ left, right }),
  });
}

/** The changes that a graph highlights. The limit exceeds the number of nodes that a graph draws. */
export function useDiffMarks(left: string, right: string, isOn: boolean) {
  return useQuery({
    queryKey: ['diff', 'marks', left, right],
    queryFn: ({ signal }) => ask({ left, right }, 0, 1_000, signal),
    ...optionsOf({ left, right }),
    enabled: isOn,
  });
}
