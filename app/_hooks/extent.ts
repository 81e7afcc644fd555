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

/** Texts of an extent have no time of day without a date, so that the zone does not matter. */
function contextAt(now: EpochMs): TimeContext {
  return { now, timeZone: 'UTC' };
}

function rangeOf({ from, to }: Extent, now: EpochMs): TimeRange {
  return readTimeRange(from, to, contextAt(now)) ?? everything;
}

/** Returns true if new events can still fall into a range. */
export function isLiveExtent(extent: Extent, now = Date.now()): boolean {
  return isLiveRange(rangeOf(extent, now), now);
}

interface ResolvedTimes {
  /** null: from the beginning of the recording. */
  readonly from: EpochMs | null;
  /** null: until now. */
  readonly to: EpochMs | null;
}

/** The times of a range at the time of a request. */
export function resolveTimes(extent: Extent, now = Date.now()): ResolvedTimes {
  const { from, to } = resolveTimeRange(rangeOf(extent, now), contextAt(now));
  return { from, to: isLiveExtent(extent, now) ? null : to };
}

/** The times for a URL. Empty: from the beginning of the recording, or until now. */
export function resolveExtent(extent: Extent, now = Date.now()): Extent {
  const { from, to } = resolveTimes(extent, now);
  return { from: from === null ? '' : formatIsoTime(from), to: to === null ? '' : formatIsoTime(to) };
}

/**
 * The parameters of load for a range. A range before now is stated by its length, since the clock of the server decides.
 * `endsAtMoment`: the range ends at the moment that the client's page shows, and only its length counts.
 */
export function loadRange(
  extent: Extent,
  endsAtMoment = false,
): { from?: string; to?: string; span?: string } {
  const now = Date.now();
  const range = rangeOf(extent, now);
  const { from, to } = resolveTimeRange(range, contextAt(now));
  const endsNow = endsAtMoment || isLiveRange(range, now);
  const begin = formatIsoTime(from ?? 0);
  if (!endsNow) return { from: begin, to: formatIsoTime(to) };
  if (from === null || (range.from.kind === 'absolute' && !endsAtMoment)) return { from: begin };
  return { span: `${Math.max(1, Math.round((to - from) / 1_000))}s` };
}
