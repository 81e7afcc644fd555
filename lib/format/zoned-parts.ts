import type { EpochMs } from '../xds/units';

type PartType = Intl.DateTimeFormatPartTypes;

const formats: Map<string, Intl.DateTimeFormat> = new Map();

/** The parts of a time in a time zone (IANA name), each with its usual number of digits, as in "07". */
export function zonedPartsAt(at: EpochMs, timeZone: string): (type: PartType) => string {
  const parts = new Map(
    formatFor(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  return (type) => parts.get(type) ?? '';
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
