import type { EpochMs } from '../xds/units';
import {
  fixTime,
  formatAmount,
  formatTimeEdge,
  now as nowEdge,
  parseTime,
  resolveTime,
  type TimeContext,
  type TimeEdge,
  type TimeExpression,
  type TimeProblem,
} from './time-expression';
import { dayMs, epochOfWallClock, wallClockAt } from './wall-clock';

export interface TimeRange {
  readonly from: TimeEdge;
  readonly to: TimeEdge;
}

/** null: from the beginning of the recording. */
interface TimeBounds {
  readonly from: EpochMs | null;
  readonly to: EpochMs;
}

type ParsedTimeRange =
  | { readonly ok: true; readonly range: TimeRange }
  | { readonly ok: false; readonly problem: TimeProblem };

export const everything: TimeRange = { from: { kind: 'oldest' }, to: nowEdge };

/** The range from a duration before now until now. */
export function lastRange(lengthMs: number): TimeRange {
  return { from: { kind: 'relative', offsetMs: -lengthMs }, to: nowEdge };
}

const minuteMs = 60_000;
/** Nothing is recorded for longer. */
const longestZoomMs = 10 * 365 * dayMs;

export const timePresets: readonly TimeRange[] = [
  ...[5 * minuteMs, 15 * minuteMs, 60 * minuteMs, 360 * minuteMs, dayMs, 7 * dayMs].map(lastRange),
  everything,
];

/**
 * Parses "now-1h to now", "20:50 to 20:55" or "2026-11-22 20:00..2026-11-22 21:00". One time is the beginning of a range
 * that ends now, or a whole day: "now-15m", "last 15 min", "yesterday", "2026-11-22". "everything" is all that is recorded.
 */
export function parseTimeRange(text: string, context: TimeContext): ParsedTimeRange {
  const words = text.trim().replace(/^last\s+/i, '');
  if (/^(?:all|everything(?: recorded)?)$/i.test(words)) return { ok: true, range: everything };
  const [first = '', second, ...more] = words.split(/\s+(?:to|until|-|–)\s+|\s*\.\.\s*/i);
  if (more.length > 0) {
    return { ok: false, problem: { expected: 'two times, as in now-1h to now', actual: words.slice(0, 80) } };
  }
  const from = parseTime(first);
  if (!from.ok) return from;
  if (second === undefined) {
    const range = { from: fixTime(from.time, context), to: endOfDay(from.time, context) };
    return checked(range, context);
  }
  const to = parseTime(second);
  if (!to.ok) return to;
  return checked({ from: fixTime(from.time, context), to: fixTime(to.time, context) }, context);
}

/** Reads the values of a URL. undefined: both are empty, or one cannot be parsed. An empty `to` is now. */
export function readTimeRange(from: string, to: string, context: TimeContext): TimeRange | undefined {
  if (from === '' && to === '') return undefined;
  const parsed = parseTimeRange(`${from || 'oldest'} to ${to || 'now'}`, context);
  return parsed.ok ? parsed.range : undefined;
}

/** The values for a URL: relative times remain relative, and "now" is left out. */
export function writeTimeRange({ from, to }: TimeRange): { readonly from: string; readonly to: string } {
  const end = formatTimeEdge(to);
  return { from: formatTimeEdge(from), to: end === 'now' ? '' : end };
}

export function resolveTimeRange({ from, to }: TimeRange, context: TimeContext): TimeBounds {
  return { from: resolveTime(from, context), to: resolveTime(to, context) ?? context.now };
}

/** Returns true if new events can still fall into the range. */
export function isLiveRange({ to }: TimeRange, now: EpochMs): boolean {
  return to.kind === 'relative' ? to.offsetMs >= 0 : to.kind === 'absolute' && to.at > now;
}

export function isSameRange(a: TimeRange, b: TimeRange): boolean {
  const [left, right] = [writeTimeRange(a), writeTimeRange(b)];
  return left.from === right.from && left.to === right.to;
}

/** Twice as long, around the same middle; a range that ends now still does. */
export function zoomOutRange(range: TimeRange, context: TimeContext): TimeRange {
  const { from, to } = resolveTimeRange(range, context);
  if (from === null) return everything;
  const lengthMs = to - from;
  if (lengthMs > longestZoomMs) return everything;
  if (isLiveRange(range, context.now)) return lastRange(2 * lengthMs);
  return rangeBetween(from - lengthMs / 2, to + lengthMs / 2, context);
}

/** The range of equal length before (-1) or after (1) a range; undefined: there is none. */
export function shiftRange(range: TimeRange, direction: -1 | 1, context: TimeContext): TimeRange | undefined {
  const { from, to } = resolveTimeRange(range, context);
  if (from === null || (direction === 1 && isLiveRange(range, context.now))) return undefined;
  const shiftMs = direction * (to - from);
  return rangeBetween(from + shiftMs, to + shiftMs, context);
}

/** The same range with an end that does not move. */
export function pauseRange(range: TimeRange, at: EpochMs, context: TimeContext): TimeRange {
  const { from } = resolveTimeRange(range, { ...context, now: at });
  return {
    from: from === null ? range.from : { kind: 'absolute', at: from },
    to: { kind: 'absolute', at },
  };
}

/** The newest range of the same length. */
export function followRange(range: TimeRange, context: TimeContext): TimeRange {
  const { from, to } = resolveTimeRange(range, context);
  return from === null ? everything : lastRange(to - from);
}

/** Absolute; a range that would end in the future is the newest one of its length. */
export function rangeBetween(from: EpochMs, to: EpochMs, { now }: TimeContext): TimeRange {
  if (to >= now) return lastRange(to - from);
  return { from: { kind: 'absolute', at: Math.round(from) }, to: { kind: 'absolute', at: Math.round(to) } };
}

/** "Last 15 min", "Everything recorded", "now-1h to now-30m", or absolute times as `formatAt` writes them. */
export function formatTimeRange(range: TimeRange, formatAt: (at: EpochMs) => string): string {
  const { from, to } = range;
  const endsNow = to.kind === 'relative' && to.offsetMs === 0;
  if (endsNow && from.kind === 'oldest') return 'Everything recorded';
  if (endsNow && from.kind === 'relative' && from.offsetMs < 0) return `Last ${formatLength(-from.offsetMs)}`;
  const text = (edge: TimeEdge) => (edge.kind === 'absolute' ? formatAt(edge.at) : formatTimeEdge(edge));
  return `${text(from)} to ${text(to)}`;
}

/** "15 min", "1 h 30 min", "24 h", "7 d": every unit, because the range is exact. */
function formatLength(lengthMs: number): string {
  if (lengthMs === dayMs) return '24 h';
  return formatAmount(lengthMs)
    .replace(/\B(?=[a-z])|(?<=[a-z])(?=\d)/g, ' ')
    .replace(' m', ' min');
}

function endOfDay(time: TimeExpression, context: TimeContext): TimeEdge {
  const isWholeDay =
    (time.kind === 'date' && time.ofDayMs === null) ||
    (time.kind === 'day' && time.daysAgo !== null && time.ofDayMs === null);
  if (!isWholeDay) return nowEdge;
  const { timeZone, now } = context;
  const start = resolveTime(time, context) ?? now;
  // Days have 23 to 25 hours.
  const next = epochOfWallClock({ ...wallClockAt(start + 1.5 * dayMs, timeZone), ofDayMs: 0 }, timeZone);
  return next > now ? nowEdge : { kind: 'absolute', at: next };
}

function checked(range: TimeRange, context: TimeContext): ParsedTimeRange {
  const { from, to } = resolveTimeRange(range, context);
  if (from === null || from < to) return { ok: true, range };
  const actual = `${formatTimeEdge(range.from)} to ${formatTimeEdge(range.to)}`;
  return { ok: false, problem: { expected: 'a start before the end', actual } };
}
