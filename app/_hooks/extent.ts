import { formatIsoTime } from '@/lib/format/iso-time';
import type { TimeContext } from '@/lib/time/time-expression';
import {
  everything,
  isLiveRange,
  readTimeRange,
  resolveTimeRange,
  type TimeRange,
} from '@/lib/time/time-range';
import type { EpochMs } from '@/lib/xds/units';

/** A time range as texts of lib/time ("now-15m", "oldest", ISO 8601); an empty `to` is now. */
export interface Extent {
  readonly from: string;
  readonly to: string;
}

/** A time range whose ends may be resolved already. */
export interface RequestedExtent {
  readonly from: string | EpochMs;
  readonly to: string | EpochMs;
}

/** Texts of an extent have no time of day without a date, so that the zone does not matter. */
function contextAt(now: EpochMs): TimeContext {
  return { now, timeZone: 'UTC' };
}

function rangeOf({ from, to }: RequestedExtent, now: EpochMs): TimeRange {
  const [begin, end] = [from, to].map((at) => (typeof at === 'number' ? formatIsoTime(at) : at));
  return readTimeRange(begin ?? '', end ?? '', contextAt(now)) ?? everything;
}

/** Returns true if new events can still fall into a range. */
export function isLiveExtent(extent: RequestedExtent, now = Date.now()): boolean {
  return isLiveRange(rangeOf(extent, now), now);
}

interface ResolvedTimes {
  /** Absent: from the beginning of the recording. */
  readonly from?: EpochMs;
  /** Absent: until now. */
  readonly to?: EpochMs;
}

/** The times of a range at the time of a request. */
export function resolveTimes(extent: RequestedExtent, now = Date.now()): ResolvedTimes {
  const { from, to } = resolveTimeRange(rangeOf(extent, now), contextAt(now));
  return { ...(from !== null && { from }), ...(!isLiveExtent(extent, now) && { to }) };
}

/**
 * The parameters of load for a range. A range before now is stated by its length, since the clock of the server decides.
 * `endsAtMoment`: the range ends at the moment that the client's page shows, and only its length counts.
 */
export function loadRange(
  extent: RequestedExtent,
  endsAtMoment = false,
): { from?: EpochMs; to?: EpochMs; span?: string } {
  const now = Date.now();
  const range = rangeOf(extent, now);
  const { from, to } = resolveTimeRange(range, contextAt(now));
  const endsNow = endsAtMoment || isLiveRange(range, now);
  if (!endsNow) return { from: from ?? 0, to };
  if (from === null || (range.from.kind === 'absolute' && !endsAtMoment)) return { from: from ?? 0 };
  return { span: `${Math.max(1, Math.round((to - from) / 1_000))}s` };
}
