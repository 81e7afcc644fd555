import type { QueryFunction, UseQueryOptions } from '@tanstack/react-query';
import type { LoadSeriesAnswer } from '@/lib/views/load/schema';
import { requestJson } from '../_hooks/api-client';
import { isLiveExtent } from '../_hooks/extent';
import { type QuestionInput, questionOptions, requestPath } from './question';

/** Longer steps are reloaded before they end. */
const reportedWholeMs = 30_000;
const leastPauseMs = 5_000;
const pausesPerStep = 20;
/** The time of each answer, by performance.now(). */
const readAt = new WeakMap<LoadSeriesAnswer, number>();

/** The query of load over time, of all clients or of the named one. */
export function loadSeriesOptions(input: QuestionInput<'load/series'>): UseQueryOptions<LoadSeriesAnswer> {
  return {
    ...questionOptions('load/series', input),
    queryFn: fetchLoadSeries(() => requestPath('load/series', input)),
    refetchInterval: (query) => isLiveExtent({ from: '', to: '', ...input }) && silenceOf(query),
    // The time of an answer is kept by its identity.
    structuralSharing: false,
  };
}

/**
 * Reloads load over time, and requests nothing before a new step has begun. `pathOf` returns the path below /api/v1 for the
 * current time.
 */
export function fetchLoadSeries(pathOf: () => string): QueryFunction<LoadSeriesAnswer> {
  return async ({ client, queryKey, signal }) => {
    const before = client.getQueryData<LoadSeriesAnswer>(queryKey);
    if (before !== undefined && !isDue(before)) return before;
    const answer = await requestJson<LoadSeriesAnswer>(pathOf(), { signal });
    readAt.set(answer, performance.now());
    return answer;
  };
}

function isDue(before: LoadSeriesAnswer): boolean {
  const { stepMs, to } = before;
  const elapsedMs = performance.now() - (readAt.get(before) ?? Number.NEGATIVE_INFINITY);
  if (stepMs > reportedWholeMs) return elapsedMs >= Math.max(leastPauseMs, stepMs / pausesPerStep);
  // The server's clock may differ, so the elapsed time is decisive.
  const sinceMs = Date.now() - to;
  return elapsedMs >= stepMs || (sinceMs >= stepMs && sinceMs < 3 * stepMs);
}

interface Asked<Answer> {
  readonly state: { readonly data: Answer | undefined };
}

/** Returns the `enabled` of a query: an answer about the past is requested once. */
export function grows<Answer = LoadSeriesAnswer>(isLive: boolean) {
  return ({ state: { data } }: Asked<Answer>): boolean => isLive || data === undefined;
}

/** Returns the `refetchInterval` of a query: the interval of reloads while no report arrives. */
export function silenceOf({ state: { data } }: Asked<LoadSeriesAnswer>): number {
  return Math.max(10_000, data?.stepMs ?? 0);
}
