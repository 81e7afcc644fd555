import type { EpochMs } from '../xds/units';
import type { TimeContext } from './time-expression';
import { isLiveRange, lastRange, rangeBetween, resolveTimeRange, type TimeRange } from './time-range';

interface Stretch {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** Relative times are written in whole seconds. */
export const leastRangeMs = 1_000;

/** The half of a stretch around a time; null: its end. A stretch that ends now still does. */
export function zoomInRange({ from, to }: Stretch, around: EpochMs | null, context: TimeContext): TimeRange {
  const lengthMs = Math.max(leastRangeMs, (to - from) / 2);
  if (around === null && to >= context.now) return lastRange(lengthMs);
  const begin = Math.min(Math.max(from, (around ?? to) - lengthMs / 2), to - lengthMs);
  return rangeBetween(begin, begin + lengthMs, context);
}

/** A range of the same length around a time outside of a range; undefined: the range contains the time. */
export function moveRangeTo(range: TimeRange, at: EpochMs, context: TimeContext): TimeRange | undefined {
  const { from, to } = resolveTimeRange(range, context);
  const isInside = (from === null || at >= from) && (at <= to || isLiveRange(range, context.now));
  if (isInside) return undefined;
  if (from === null) return { from: range.from, to: { kind: 'absolute', at } };
  return rangeBetween(at - (to - from) / 2, at + (to - from) / 2, context);
}
