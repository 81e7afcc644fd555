'use client';

import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { CohortsAnswer, FleetLineRow, FleetPage } from '@/lib/api/fleet';
import type { IdentityPage } from '@/lib/api/identity';
import type { SizesAnswer } from '@/lib/api/sizes';
import { answerOf } from './answer-of';
import { requestJson } from './api-client';
import {
  type CohortsParams,
  type FleetParams,
  fleetLinesPerPage,
  type IdentityParams,
  identityPerPage,
  queryKeys,
  type SizesParams,
} from './query-keys';

export interface FleetGap {
  readonly kind: 'gap';
  readonly index: number;
}

export interface FleetLines {
  /** All lines, with gaps for lines that are not loaded; undefined before the first answer. */
  readonly lines: readonly (FleetLineRow | FleetGap)[] | undefined;
  /** The first loaded page, which has the counts. */
  readonly page: FleetPage | undefined;
  readonly error: Error | null;
  readonly refetch: () => void;
  /** Loads the pages around the visible lines. */
  readonly onVisibleRange: (first: number, last: number) => void;
}

/** The list of clients. Only the visible pages are loaded, and reloaded when a client changes. */
export function useFleetLines(question: FleetParams): FleetLines {
  const [range, setRange] = useState({ first: 0, last: 0 });
  const onVisibleRange = useCallback((first: number, last: number) => {
    const next = { first: pageOf(first - 20), last: pageOf(last + 20) };
    setRange((now) => (now.first === next.first && now.last === next.last ? now : next));
  }, []);
  const pages = Array.from({ length: range.last - range.first + 1 }, (_, index) => range.first + index);
  const { found, error, refetch } = useQueries({
    queries: pages.map((page) => fleetPageQuery(question, page * fleetLinesPerPage)),
    combine: (results) => ({
      found: results.flatMap(({ data }) => (data === undefined ? [] : [data])),
      error: results.find((each) => each.error !== null)?.error ?? null,
      refetch: () => {
        for (const each of results) void each.refetch();
      },
    }),
  });
  // The previous lines stay until the first answer to another question.
  const before = useRef<readonly FleetPage[]>([]);
  const shown = found.length > 0 ? found : before.current;
  useEffect(() => {
    if (found.length > 0) before.current = found;
  }, [found]);
  const lines = useMemo(() => (shown[0] === undefined ? undefined : fill(shown)), [shown]);
  return { lines, page: shown[0], error, refetch, onVisibleRange };
}

export function useCohorts({ type, q }: CohortsParams) {
  const search = new URLSearchParams({ q });
  if (type !== '') search.set('type', type);
  return useQuery({
    ...answerOf<CohortsAnswer>(queryKeys.cohorts({ type, q }), `cohorts?${search}`),
    placeholderData: keepPreviousData,
  });
}

const mostListed = 500;

/** The first clients that match a filter, by name. */
export function useFoundClients(q: string, limit = mostListed) {
  return useQuery({
    queryKey: queryKeys.foundClients(q, limit),
    queryFn: async ({ signal }) => {
      const search = new URLSearchParams({ q, sort: 'client', limit: `${limit}` });
      const { items } = await requestJson<FleetPage>(`fleet?${search}`, { signal });
      return items.flatMap((line) => (line.kind === 'client' ? [line.client] : []));
    },
    placeholderData: keepPreviousData,
  });
}

const sizesLiveMs = 10_000;

export function useSizes(params: SizesParams) {
  const { client, type, name, sort, filter: q } = params;
  const group = client !== '' || params.group === 'none' ? '' : params.group;
  const reported = Object.entries({ client, type, name, group, sort, q }).filter(([, value]) => value !== '');
  return useQuery({
    ...answerOf<SizesAnswer>(queryKeys.sizes(params), `sizes?${new URLSearchParams(reported)}`),
    refetchInterval: sizesLiveMs,
    placeholderData: keepPreviousData,
  });
}

const keysLiveMs = 60_000;

export function useMetadataKeys(): FleetPage['metadataKeys'] {
  const { data } = useQuery({
    queryKey: queryKeys.metadataKeys,
    queryFn: async ({ signal }) => (await requestJson<FleetPage>('fleet?limit=0', { signal })).metadataKeys,
    staleTime: keysLiveMs,
  });
  return data ?? [];
}

export function useIdentity({ kind, q, offset }: IdentityParams) {
  const search = new URLSearchParams({ kind, q, offset: `${offset}`, limit: `${identityPerPage}` });
  return useQuery({
    ...answerOf<IdentityPage>(queryKeys.identity({ kind, q, offset }), `identity?${search}`),
    placeholderData: keepPreviousData,
  });
}

export function fleetPageQuery(question: FleetParams, offset: number, limit = fleetLinesPerPage) {
  const { q, sort, group, open } = question;
  const search = new URLSearchParams({ q, sort, offset: `${offset}`, limit: `${limit}` });
  if (group !== '') search.set('group', group);
  for (const value of group === '' ? [] : open) search.append('open', value);
  return {
    ...answerOf<FleetPage>(queryKeys.fleetPage(question, offset), `fleet?${search}`),
  };
}

function pageOf(line: number): number {
  return Math.max(0, Math.floor(line / fleetLinesPerPage));
}

const gaps: FleetGap[] = [];

function fill(pages: readonly FleetPage[]): (FleetLineRow | FleetGap)[] {
  const count = pages.at(-1)?.lines ?? 0;
  for (let index = gaps.length; index < count; index++) gaps.push({ kind: 'gap', index });
  const lines: (FleetLineRow | FleetGap)[] = gaps.slice(0, count);
  for (const { offset, items } of pages) {
    for (const [index, item] of items.entries()) if (offset + index < count) lines[offset + index] = item;
  }
  return lines;
}
