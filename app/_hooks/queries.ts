'use client';

import { useQuery } from '@tanstack/react-query';
import type { FileImport } from '@/lib/api/imports';
import type { Health, NotableEvent, Source } from '@/lib/api/schema';
import { answerOf, itemsOf } from './answer-of';
import { eventLimit, queryKeys } from './query-keys';

const healthIntervalMs = 10_000;

export function useHealth() {
  return useQuery({
    ...answerOf<Health>(queryKeys.health, 'health'),
    // The stream has no topic for the growth of the recorder.
    refetchInterval: healthIntervalMs,
  });
}

export function useImports() {
  return useQuery(itemsOf<FileImport>(queryKeys.imports, 'imports'));
}

export function useSources() {
  return useQuery(itemsOf<Source>(queryKeys.sources, 'sources'));
}

export function useEvents() {
  return useQuery(itemsOf<NotableEvent>(queryKeys.events, `events?limit=${eventLimit}`));
}
