import { zonedPartsAt } from '../format/zoned-parts';
import type { EpochMs } from '../xds/units';

/** A date and a time of day without a time zone. Months and days count from 1. */
export interface WallClock {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** Milliseconds since midnight. */
  readonly ofDayMs: number;
}

export const dayMs = 86_400_000;

/** The wall clock of a time zone (IANA name) at a time. */
export function wallClockAt(at: EpochMs, timeZone: string): WallClock {
  const date = new Date(at + offsetAt(at, timeZone));
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    ofDayMs: ((date.getTime() % dayMs) + dayMs) % dayMs,
  };
}

/**
 * The time at which a wall clock shows a date and time. When clocks are set back, the first of both times; a time that is
 * skipped when clocks are set forward counts as if they had not been.
 */
export function epochOfWallClock({ year, month, day, ofDayMs }: WallClock, timeZone: string): EpochMs {
  const asUtc = Date.UTC(year, month - 1, day) + ofDayMs;
  const before = asUtc - offsetAt(asUtc - dayMs, timeZone);
  if (before + offsetAt(before, timeZone) === asUtc) return before;
  const after = asUtc - offsetAt(asUtc + dayMs, timeZone);
  return after + offsetAt(after, timeZone) === asUtc ? after : before;
}

/** The difference of a zone from UTC in milliseconds, positive east of Greenwich. */
function offsetAt(at: EpochMs, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const wholeSeconds = Math.floor(at / 1_000) * 1_000;
  const part = zonedPartsAt(wholeSeconds, timeZone);
  const read = (type: Intl.DateTimeFormatPartTypes) => Number(part(type));
  const shown = Date.UTC(
    read('year'),
    read('month') - 1,
    read('day'),
    read('hour'),
    read('minute'),
    read('second'),
  );
  return shown - wholeSeconds;
}
