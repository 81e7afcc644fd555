'use client';

import { useQuery } from '@tanstack/react-query';
import type { ExportEstimate } from '@/lib/api/exports';
import type { Pin } from '@/lib/api/pins';
import type { Replay } from '@/lib/api/replays';
import { answerOf, itemsOf } from './answer-of';
import { queryKeys } from './query-keys';

export function usePins() {
  return useQuery(itemsOf<Pin>(queryKeys.pins, 'pins'));
}

/** `query`: of the URL. */
export function useExportEstimate(query: string) {
  return useQuery(answerOf<ExportEstimate>(queryKeys.exportEstimate(query), `export/estimate?${query}`));
}

export function useReplays() {
  return useQuery(itemsOf<Replay>(queryKeys.replays, 'replays'));
}
