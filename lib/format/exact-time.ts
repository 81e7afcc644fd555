import type { EpochMs } from '../xds/units';

const dayMs = 86_400_000;
const formats: Map<string, Intl.DateTimeFormat> = new Map();

/** "2026-11-21 02:31:07.042 GMT+1": to the millisecond, with its zone, the same in every language. */
export function formatExactTime(at: EpochMs, timeZone: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return 'not a time';
  const part = new Map(
    formatFor(timeZone)
      .formatToParts(date)
      .map(({ type, value }) => [type, value]),
  );
  const read = (type: Intl.DateTimeFormatPartTypes) => part.get(type) ?? '';
  const day = `${read('year')}-${read('month')}-${read('day')}`;
  const time = `${read('hour')}:${read('minute')}:${read('second')}.${read('fractionalSecond')}`;
  return `${day} ${time} ${read('timeZoneName')}`;
}

/** "22 Nov 2026" */
export function formatDay(at: EpochMs, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium' }).format(at);
}

/** For narrow columns: "02:31:07" today, "11-20 02:31" on another day. */
export function formatShortTime(at: EpochMs, now: EpochMs, timeZone: string): string {
  const exact = formatExactTime(at, timeZone);
  const isRecent =
    Math.abs(now - at) < dayMs && exact.slice(0, 10) === formatExactTime(now, timeZone).slice(0, 10);
  return isRecent ? exact.slice(11, 19) : exact.slice(5, 16);
}

/** Caches formats, since building one costs more than using it a thousand times. */
function formatFor(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const created = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hourCycle: 'h23',
    timeZoneName: 'short',
  });
  formats.set(timeZone, created);
  return created;
}
