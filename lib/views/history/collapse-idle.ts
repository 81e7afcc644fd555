import { pairs } from 'd3';
import { by, byDescending } from '../../collections/compare';
import type { EpochMs } from '../../xds/units';

export interface TimeWindow {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** The extent of the axis, and the largest number of stretches. */
interface IdleOptions extends TimeWindow {
  readonly most: number;
}

/** Shorter pauses are kept. */
const leastIdleMs = 10_000;
const leastMarginMs = 20;
/** Pauses that are a smaller share of the axis are kept. */
const leastShare = 1 / 30;
/** The share of the active time, or of the pause if that is shorter, that stays at either side as room for marks. */
const marginShare = 0.02;

/**
 * Finds the longest stretches without events, in order, which includes those before the first and after the last event.
 * `instants` are sorted.
 */
export function findIdle(instants: ArrayLike<EpochMs>, { from, to, most }: IdleOptions): TimeWindow[] {
  const leastMs = Math.max(leastIdleMs, (to - from) * leastShare);
  const inside = Array.from(instants).filter((at) => at > from && at < to);
  const chosen = pairs([from, ...inside, to])
    .map(([start, end]) => ({ from: start, to: end }))
    .filter((stretch) => lengthOf(stretch) >= leastMs)
    .sort(byDescending(lengthOf))
    .slice(0, Math.max(0, most));
  const activeMs = chosen.reduce((left, stretch) => left - lengthOf(stretch), to - from);
  return chosen.sort(by(({ from }) => from)).map((stretch) => {
    const marginMs = Math.max(leastMarginMs, Math.min(activeMs, lengthOf(stretch)) * marginShare);
    return { from: stretch.from + marginMs, to: stretch.to - marginMs };
  });
}

function lengthOf({ from, to }: TimeWindow): number {
  return to - from;
}
