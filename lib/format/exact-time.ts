import type { EpochMs } from '../xds/units';
import { zonedPartsAt } from './zoned-parts';

const dayMs = 86_400_000;

/** "2026-11-21 02:31:07.042 GMT+1": to the millisecond, with its zone, the same in every language. */
export function formatExactTime(at: EpochMs, timeZone: string): string {
  if (Number.isNaN(new Date(at).getTime())) return 'not a time';
  const read = zonedPartsAt(at, timeZone);
  const day = `${read('year')}-${read('month')}-${read('day')}`;
  const time = `${read('hour')}:${read('minute')}:${read('second')}.${read('fractionalSecond')}`;
  return `${day} ${time} ${read('timeZoneName')}`;
}

/** "22 Nov 2026" */
export function formatDay(at: EpochMs, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium' }).format(at);
}

/** Formats a time for narrow columns: "02:31:07" today, "11-20 02:31" on another day. */
export function formatShortTime(at: EpochMs, now: EpochMs, timeZone: string): string {
  const exact = formatExactTime(at, timeZone);
  const isRecent =
    Math.abs(now - at) < dayMs && exact.slice(0, 10) === formatExactTime(now, timeZone).slice(0, 10);
  return isRecent ? exact.slice(11, 19) : exact.slice(5, 16);
}
