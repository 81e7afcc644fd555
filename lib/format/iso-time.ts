import type { EpochMs } from '../xds/units';

const dayMs = 86_400_000;
/** From 1970 on; before it years have four digits and no sign. */
const plainUntil = 253_402_300_800_000;

/** The API's spelling of a moment. Out of the range that ISO 8601 can say (a hostile timestamp): the nearest end. */
export function formatIsoTime(at: EpochMs): string {
  // A Date, of which Next makes one of its own, takes ten times as long, and every row has two.
  if (at >= 0 && at < plainUntil) return formatPlain(Math.trunc(at));
  const limit = 8.64e15;
  return new Date(Math.max(-limit, Math.min(limit, at))).toISOString();
}

export function formatIsoTimeOrNull(at: EpochMs | null): string | null {
  return at === null ? null : formatIsoTime(at);
}

function formatPlain(at: number): string {
  const ofDay = at % dayMs;
  const hours = Math.floor(ofDay / 3_600_000);
  const minutes = Math.floor(ofDay / 60_000) % 60;
  const seconds = Math.floor(ofDay / 1_000) % 60;
  const ms = String(at % 1_000).padStart(3, '0');
  return `${formatDay((at - ofDay) / dayMs)}T${two(hours)}:${two(minutes)}:${two(seconds)}.${ms}Z`;
}

/** The Gregorian calendar, whose years are counted from March on: the leap day is the last one. `day`: since 1970. */
function formatDay(day: number): string {
  const sinceMarch0 = day + 719_468;
  const era = Math.floor(sinceMarch0 / 146_097);
  const ofEra = sinceMarch0 - era * 146_097;
  const leapDays = Math.floor(ofEra / 1_460) - Math.floor(ofEra / 36_524) + Math.floor(ofEra / 146_096);
  const yearOfEra = Math.floor((ofEra - leapDays) / 365);
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * ofYear + 2) / 153);
  const dayOfMonth = ofYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${year}-${two(month)}-${two(dayOfMonth)}`;
}

function two(number: number): string {
  return number < 10 ? `0${number}` : String(number);
}
