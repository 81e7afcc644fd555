import { formatIsoTime } from '../format/iso-time';
import type { EpochMs } from '../xds/units';
import { dayMs, epochOfWallClock, type WallClock, wallClockAt } from './wall-clock';

/** A time that keeps its meaning in a URL. */
export type TimeEdge =
  /** The beginning of the recording. */
  | { readonly kind: 'oldest' }
  /** Negative: before now. */
  | { readonly kind: 'relative'; readonly offsetMs: number }
  | { readonly kind: 'absolute'; readonly at: EpochMs };

export type TimeExpression =
  | TimeEdge
  /** A date, and a time of day unless the whole day is meant, in the time zone of the reader. */
  | { readonly kind: 'date'; readonly date: Omit<WallClock, 'ofDayMs'>; readonly ofDayMs: number | null }
  /** A day relative to today; null: the newest time of day that is not in the future. */
  | { readonly kind: 'day'; readonly daysAgo: number | null; readonly ofDayMs: number | null };

/** The reader's clock and time zone (IANA name). */
export interface TimeContext {
  readonly now: EpochMs;
  readonly timeZone: string;
}

export interface TimeProblem {
  readonly expected: string;
  readonly actual: string;
}

type ParsedTime =
  | { readonly ok: true; readonly time: TimeExpression }
  | { readonly ok: false; readonly problem: TimeProblem };

export const now: TimeEdge = { kind: 'relative', offsetMs: 0 };

const longestText = 80;
/** ECMA-262: a Date reaches this far from 1970. Offsets stay below it by far. */
const longestOffsetMs = 100 * 365 * dayMs;

const unitsMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: dayMs,
  w: 7 * dayMs,
};
const unitOrder = ['w', 'd', 'h', 'm', 's'] as const;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const unit = '(?:s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?|w|weeks?)';
const amount = `\\d{1,9} ?${unit}`;
const clock = String.raw`(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.(?<fraction>\d{1,3}))?)?`;
const zone = String.raw`(?: ?(?<zone>z|utc|gmt|(?:gmt|utc)?[+-]\d{1,2}(?::?\d{2})?))?`;

const patterns = {
  relative: new RegExp(`^now(?<offset>(?: ?[+-] ?${amount}(?: ?${amount})*)*)$`),
  ago: new RegExp(`^-?(?<past>${amount}(?: ?${amount})*)(?: ago)?$`),
  day: new RegExp(`^(?:(?<day>today|yesterday)(?: at)? ?)?(?:${clock})?$`),
  date: new RegExp(`^(?<year>\\d{4})-(?<month>\\d{2})-(?<dom>\\d{2})(?:[t ]${clock}${zone})?$`),
  named: new RegExp(`^(?<dom>\\d{1,2}) (?<name>[a-z]{3})[a-z]* (?<year>\\d{4})(?:,? ${clock}${zone})?$`),
} as const;

export const timeExamples = 'now-15m, 20:54:25, yesterday 03:04 or 2026-11-22 20:54';

/**
 * Parses one time: `now`, `now-1h30m`, `15m ago`, `15m` (ago), `20:54:25`, `yesterday 03:04`, `2026-11-22 20:54:25.042 UTC`,
 * `22 Nov 2026`, `oldest`. Case does not matter. A time of day without a date is the newest one that is not in the future.
 */
export function parseTime(text: string): ParsedTime {
  const words = text.trim().replace(/\s+/g, ' ').toLowerCase();
  const problem = (expected: string, actual = text.trim()): ParsedTime => ({
    ok: false,
    problem: { expected, actual: actual.slice(0, longestText) },
  });
  if (words === '' || words.length > longestText) return problem(`a time, as in ${timeExamples}`);
  if (words === 'oldest') return { ok: true, time: { kind: 'oldest' } };

  const relative = patterns.relative.exec(words)?.groups?.offset;
  const past = patterns.ago.exec(words)?.groups?.past;
  if (relative !== undefined || past !== undefined) {
    const offsetMs = past === undefined ? sumOf(relative ?? '') : -sumOf(past);
    return Math.abs(offsetMs) <= longestOffsetMs
      ? { ok: true, time: { kind: 'relative', offsetMs: offsetMs + 0 } }
      : problem('at most 100 years from now');
  }

  for (const pattern of [patterns.day, patterns.date, patterns.named]) {
    const groups = pattern.exec(words)?.groups;
    if (groups === undefined) continue;
    const ofDayMs = readClock(groups);
    if (typeof ofDayMs === 'object' && ofDayMs !== null) return { ok: false, problem: ofDayMs };
    if (pattern === patterns.day) {
      const daysAgo = groups.day === undefined ? null : groups.day === 'today' ? 0 : 1;
      return { ok: true, time: { kind: 'day', daysAgo, ofDayMs } };
    }
    const month = groups.month === undefined ? months.indexOf(groups.name ?? '') + 1 : Number(groups.month);
    const date = { year: Number(groups.year), month, day: Number(groups.dom) };
    const last = lastDayOf(date.year, month);
    if (last === null)
      return problem('a month from 01 to 12, or its English name', groups.month ?? groups.name);
    if (date.day < 1 || date.day > last) return problem(`a day from 1 to ${last}`, groups.dom);
    if (groups.zone === undefined) return { ok: true, time: { kind: 'date', date, ofDayMs } };
    const offsetMs = readZone(groups.zone);
    if (offsetMs === null) return problem('a time zone from -14:00 to +14:00', groups.zone);
    const at = epochOfWallClock({ ...date, ofDayMs: ofDayMs ?? 0 }, 'UTC') - offsetMs;
    return { ok: true, time: { kind: 'absolute', at } };
  }
  return problem(`a time, as in ${timeExamples}`);
}

/** Returns null for `oldest`. A whole day begins at midnight. */
export function resolveTime(time: TimeExpression, context: TimeContext): EpochMs | null {
  const { now, timeZone } = context;
  switch (time.kind) {
    case 'oldest':
      return null;
    case 'relative':
      return now + time.offsetMs;
    case 'absolute':
      return time.at;
    case 'date':
      return epochOfWallClock({ ...time.date, ofDayMs: time.ofDayMs ?? 0 }, timeZone);
    case 'day': {
      const at = atDaysAgo(time.daysAgo ?? 0, time.ofDayMs ?? 0, context);
      return time.daysAgo === null && at > now ? atDaysAgo(1, time.ofDayMs ?? 0, context) : at;
    }
  }
}

/** Replaces a time whose meaning depends on the day or the time zone of the reader by an absolute one. */
export function fixTime(time: TimeExpression, context: TimeContext): TimeEdge {
  if (time.kind !== 'date' && time.kind !== 'day') return time;
  const at = resolveTime(time, context);
  return at === null ? { kind: 'oldest' } : { kind: 'absolute', at };
}

/** The text that parses as the same time: "oldest", "now", "now-1h30m", "2026-11-22T20:54:25.042Z". */
export function formatTimeEdge(edge: TimeEdge): string {
  switch (edge.kind) {
    case 'oldest':
      return 'oldest';
    case 'relative':
      if (edge.offsetMs === 0) return 'now';
      return `now${edge.offsetMs < 0 ? '-' : '+'}${formatAmount(Math.abs(edge.offsetMs))}`;
    case 'absolute':
      return formatIsoTime(edge.at);
  }
}

/** "15m", "1h30m", "7d". Rounded to seconds. */
export function formatAmount(amountMs: number): string {
  let rest = Math.round(amountMs / 1_000) * 1_000;
  let text = '';
  for (const name of unitOrder.slice(1)) {
    const unitMs = unitsMs[name] ?? 1;
    const count = Math.floor(rest / unitMs);
    if (count > 0) text += `${count}${name}`;
    rest -= count * unitMs;
  }
  return text === '' ? '0s' : text;
}

function atDaysAgo(daysAgo: number, ofDayMs: number, { now, timeZone }: TimeContext): EpochMs {
  const today = wallClockAt(now, timeZone);
  const date = new Date(Date.UTC(today.year, today.month - 1, today.day - daysAgo));
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  return epochOfWallClock({ year, month, day, ofDayMs }, timeZone);
}

/** "-1h30m +5s": a sign holds until the next one. */
function sumOf(amounts: string): number {
  let sum = 0;
  let sign = 1;
  for (const [, signText, count, name = 's'] of amounts.matchAll(/([+-])? ?(\d+) ?([a-z])[a-z]*/g)) {
    if (signText !== undefined) sign = signText === '-' ? -1 : 1;
    sum += sign * Number(count) * (unitsMs[name] ?? 0);
  }
  return sum;
}

/** Milliseconds since midnight; null: no time of day. */
function readClock(groups: Readonly<Record<string, string | undefined>>): number | null | TimeProblem {
  if (groups.hour === undefined) return null;
  const [hour, minute, second] = [Number(groups.hour), Number(groups.minute), Number(groups.second ?? 0)];
  if (hour > 23) return { expected: 'an hour from 00 to 23', actual: groups.hour };
  if (minute > 59) return { expected: 'minutes from 00 to 59', actual: groups.minute ?? '' };
  if (second > 59) return { expected: 'seconds from 00 to 59', actual: groups.second ?? '' };
  const fractionMs = Number((groups.fraction ?? '').padEnd(3, '0'));
  return ((hour * 60 + minute) * 60 + second) * 1_000 + fractionMs;
}

/** "z", "utc", "gmt+1", "+05:30" as milliseconds east of Greenwich; null: out of range. */
function readZone(text: string): number | null {
  const parts = /([+-])(\d{1,2}):?(\d{2})?$/.exec(text);
  if (parts === null) return 0;
  const [, sign, hours, minutes = '0'] = parts;
  if (Number(hours) > 14 || Number(minutes) > 59) return null;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

function lastDayOf(year: number, month: number): number | null {
  return month < 1 || month > 12 ? null : new Date(Date.UTC(year, month, 0)).getUTCDate();
}
