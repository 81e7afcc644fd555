import type { EpochMs } from '../xds/units';

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

/** Making a DateTimeFormat costs more than using it a thousand times. */
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
