import { describe, expect, it } from 'vitest';
import { fixTime, formatTimeEdge, parseTime, resolveTime } from '@/lib/time/time-expression';

const now = Date.parse('2026-11-22T20:30:00.000Z');
const utc = { now, timeZone: 'UTC' };
const berlin = { now, timeZone: 'Europe/Berlin' };

function resolved(text: string, context = utc): string | null {
  const parsed = parseTime(text);
  if (!parsed.ok) throw new Error(`${parsed.problem.expected}, got ${parsed.problem.actual}`);
  const at = resolveTime(parsed.time, context);
  return at === null ? null : new Date(at).toISOString();
}

describe('a typed time', () => {
  it.each([
    ['now', '2026-11-22T20:30:00.000Z'],
    [' NOW - 15m ', '2026-11-22T20:15:00.000Z'],
    ['now-1h30m', '2026-11-22T19:00:00.000Z'],
    ['now-1h-30m', '2026-11-22T19:00:00.000Z'],
    ['now-1d+2h', '2026-11-21T22:30:00.000Z'],
    ['now+5m', '2026-11-22T20:35:00.000Z'],
    ['now-2w', '2026-11-08T20:30:00.000Z'],
    ['15m', '2026-11-22T20:15:00.000Z'],
    ['-15m', '2026-11-22T20:15:00.000Z'],
    ['10 min ago', '2026-11-22T20:20:00.000Z'],
    ['1 hour 5 minutes ago', '2026-11-22T19:25:00.000Z'],
    ['20:28', '2026-11-22T20:28:00.000Z'],
    ['20:28:31.5', '2026-11-22T20:28:31.500Z'],
    // It is not yet 20:54 today.
    ['20:54:25', '2026-11-21T20:54:25.000Z'],
    ['today 20:54:25', '2026-11-22T20:54:25.000Z'],
    ['yesterday 03:04', '2026-11-21T03:04:00.000Z'],
    ['Yesterday at 3:04', '2026-11-21T03:04:00.000Z'],
    ['yesterday', '2026-11-21T00:00:00.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20 02:31:07.042', '2026-11-20T02:31:07.042Z'],
    ['2026-11-20T02:31:07Z', '2026-11-20T02:31:07.000Z'],
    ['2026-11-20T02:31:07+05:30', '2026-11-19T21:01:07.000Z'],
    ['2026-11-20 02:31:07.042 GMT+1', '2026-11-20T01:31:07.042Z'],
    ['20 Nov 2026, 02:31 UTC', '2026-11-20T02:31:00.000Z'],
    ['20 november 2026', '2026-11-20T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('%s is %s in UTC', (text, expected) => {
    expect(resolved(text)).toBe(expected);
  });

  it.each([
    ['20:54:25', '2026-11-22T19:54:25.000Z'],
    ['yesterday 03:04', '2026-11-21T02:04:00.000Z'],
    ['2026-07-01 12:00', '2026-07-01T10:00:00.000Z'],
    ['2026-07-01 12:00 UTC', '2026-07-01T12:00:00.000Z'],
    // Clocks are set forward from 02:00 to 03:00, and back from 03:00 to 02:00.
    ['2026-03-29 02:30', '2026-03-29T01:30:00.000Z'],
    ['2026-10-25 02:30', '2026-10-25T00:30:00.000Z'],
  ])('%s is %s in Berlin', (text, expected) => {
    expect(resolved(text, berlin)).toBe(expected);
  });

  it.each([
    ['', 'a time, as in now-15m, 20:54:25, yesterday 03:04 or 2026-11-22 20:54', ''],
    ['soon', 'a time, as in now-15m, 20:54:25, yesterday 03:04 or 2026-11-22 20:54', 'soon'],
    ['x'.repeat(10_000), expect.any(String), 'x'.repeat(80)],
    ['24:00', 'an hour from 00 to 23', '24'],
    ['20:60', 'minutes from 00 to 59', '60'],
    ['20:54:61', 'seconds from 00 to 59', '61'],
    ['2026-13-01', 'a month from 01 to 12, or its English name', '13'],
    ['1 foo 2026', 'a month from 01 to 12, or its English name', 'foo'],
    ['2026-02-29', 'a day from 1 to 28', '29'],
    ['2026-01-01 00:00 +15:00', 'a time zone from -14:00 to +14:00', '+15:00'],
    ['now-999999999w', 'at most 100 years from now', 'now-999999999w'],
  ])('%s is rejected with what was expected', (text, expected, actual) => {
    expect(parseTime(text)).toEqual({ ok: false, problem: { expected, actual } });
  });
});

describe('a time in a URL', () => {
  it.each([
    ['now', 'now'],
    ['oldest', 'oldest'],
    ['90s', 'now-1m30s'],
    ['now-36h', 'now-1d12h'],
    ['now+5m', 'now+5m'],
    ['20:54:25', '2026-11-21T20:54:25.000Z'],
    ['yesterday 03:04', '2026-11-21T03:04:00.000Z'],
    ['2026-11-20 02:31', '2026-11-20T02:31:00.000Z'],
  ])('%s is written as %s, which parses as the same time', (text, expected) => {
    const parsed = parseTime(text);
    if (!parsed.ok) throw new Error(parsed.problem.expected);
    const edge = fixTime(parsed.time, utc);
    expect(formatTimeEdge(edge)).toBe(expected);
    expect(parseTime(formatTimeEdge(edge))).toEqual({ ok: true, time: edge });
  });
});
