import type { QueryFunction } from '@tanstack/react-query';
import type { LoadSeriesAnswer } from '@/lib/api/load';
import { extendSeries, tailBegin } from '@/lib/view-model/load/extend-series';
import { requestJson } from './api-client';

/** Up to this length a step is reported when it has ended; longer ones also as far as they got. */
const reportedWholeMs = 30_000;
const leastPauseMs = 5_000;
const pausesPerStep = 20;
/** When (performance.now()) which answer was read. */
const readAt = new WeakMap<LoadSeriesAnswer, number>();

/**
 * Load over time that grows at its end, as its query is asked again with each report that comes: of what is known only
 * the newest steps are read, and put to it; and nothing before there is a new one. `pathOf`: below /api/v1, at this moment.
 */
export function fetchLoadSeries(pathOf: () => string): QueryFunction<LoadSeriesAnswer> {
  return async ({ client, queryKey, signal }) => {
    const before = client.getQueryData<LoadSeriesAnswer>(queryKey);
    if (before !== undefined && !isDue(before)) return before;
    const path = pathOf();
    const read = async (more: string) => requestJson<LoadSeriesAnswer>(`${path}${more}`, { signal });
    const tail = before && (await read(`&valuesFrom=${encodeURIComponent(tailBegin(before))}`));
    const answer = (before && tail && extendSeries(before, tail)) ?? (await read(''));
    readAt.set(answer, performance.now());
    return answer;
  };
}

function isDue(before: LoadSeriesAnswer): boolean {
  const { stepMs, to } = before;
  const elapsedMs = performance.now() - (readAt.get(before) ?? Number.NEGATIVE_INFINITY);
  if (stepMs > reportedWholeMs) return elapsedMs >= Math.max(leastPauseMs, stepMs / pausesPerStep);
  // Where this clock and the server's are not the same one only the time that has passed can tell.
  const sinceMs = Date.now() - Date.parse(to);
  return elapsedMs >= stepMs || (sinceMs >= stepMs && sinceMs < 3 * stepMs);
}

interface Asked<Answer> {
  readonly state: { readonly data: Answer | undefined };
}

/** What stands still is read once, whatever comes; for a query's `enabled`. */
export function grows<Answer = LoadSeriesAnswer>(isLive: boolean) {
  return ({ state: { data } }: Asked<Answer>): boolean => isLive || data === undefined;
}

/** Where no report comes, time passes too: so often it is looked, for a query's refetchInterval. */
export function silenceOf({ state: { data } }: Asked<LoadSeriesAnswer>): number {
  return Math.max(10_000, data?.stepMs ?? 0);
}
