import type { EpochMs } from '../xds/units';

const fewest = 10;
const withinMs = 10_000;

/**
 * Counts the periods in which a stream had at least 10 repeated responses within 10 seconds. `most`: responses in the
 * largest one; `lastAt`: the time of the newest response of any. The times are in order.
 */
export function countSpins(times: readonly EpochMs[]): {
  readonly count: number;
  readonly most: number;
  readonly lastAt: EpochMs | undefined;
} {
  let count = 0;
  let most = 0;
  let lastAt: EpochMs | undefined;
  for (let from = 0; from < times.length; ) {
    let to = from + 1;
    while (to < times.length && (times[to] ?? 0) - (times[to - 1] ?? 0) <= withinMs / fewest) to += 1;
    const isFast = to - from >= fewest && (times[from + fewest - 1] ?? 0) - (times[from] ?? 0) <= withinMs;
    if (isFast) {
      count += 1;
      most = Math.max(most, to - from);
      lastAt = times[to - 1];
    }
    from = to;
  }
  return { count, most, lastAt };
}
