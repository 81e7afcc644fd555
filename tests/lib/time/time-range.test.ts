import { describe, expect, it } from 'vitest';
import {
  everything,
  formatTimeRange,
  isLiveRange,
  parseTimeRange,
  readTimeRange,
  shiftRange,
  type TimeRange,
  timePresets,
  writeTimeRange,
  zoomOutRange,
} from '@/lib/time/time-range';

const now = Date.parse('2026-11-22T20:30:00.000Z');
const utc = { now, timeZone: 'UTC' };

function parsed(text: string, context = utc): TimeRange {
  const answer = parseTimeRange(text, context);
  if (!answer.ok) throw new Error(`${answer.problem.expected}, got ${answer.problem.actual}`);
  return answer.range;
}

const inUrl = (range: TimeRange | undefined) => {
  if (range === undefined) return undefined;
  const { from, to } = writeTimeRange(range);
  return to === '' ? from : `${from}..${to}`;
};

const clockText = (at: number) => new Date(at).toISOString().slice(11, 19);

describe('a typed time range', () => {
  it.each([
    ['now-15m', 'now-15m'],
    ['Last 15 min', 'now-15m'],
    ['1h', 'now-1h'],
    ['now-1h to now', 'now-1h'],
    ['now-1h to now-30m', 'now-1h..now-30m'],
    ['20:00 to 20:10', '2026-11-22T20:00:00.000Z..2026-11-22T20:10:00.000Z'],
    ['20:00 - 20:10', '2026-11-22T20:00:00.000Z..2026-11-22T20:10:00.000Z'],
    ['2026-11-20 20:00..2026-11-21', '2026-11-20T20:00:00.000Z..2026-11-21T00:00:00.000Z'],
    ['20:00', '2026-11-22T20:00:00.000Z'],
    ['yesterday', '2026-11-21T00:00:00.000Z..2026-11-22T00:00:00.000Z'],
    ['today', '2026-11-22T00:00:00.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z..2026-11-21T00:00:00.000Z'],
    ['everything', 'oldest'],
    ['oldest to now-1d', 'oldest..now-1d'],
  ])('%s is %s', (text, expected) => {
    expect(inUrl(parsed(text))).toBe(expected);
  });

  it('of a day on which clocks change is 23 hours long', () => {
    expect(inUrl(parsed('2026-03-29', { now, timeZone: 'Europe/Berlin' }))).toBe(
      '2026-03-28T23:00:00.000Z..2026-03-29T22:00:00.000Z',
    );
  });

  it.each([
    ['now-1h to now-2h', 'a start before the end', 'now-1h to now-2h'],
    ['now', 'a start before the end', 'now to now'],
    ['a to b to c', 'two times, as in now-1h to now', 'a to b to c'],
    ['20:00 to 25:00', 'an hour from 00 to 23', '25'],
  ])('%s is rejected', (text, expected, actual) => {
    expect(parseTimeRange(text, utc)).toEqual({ ok: false, problem: { expected, actual } });
  });
});

describe('a time range in a URL', () => {
  it.each([
    ['now-15m', ''],
    ['now-1h', 'now-5m'],
    ['oldest', ''],
    ['2026-11-20T20:00:00.000Z', '2026-11-21T00:00:00.000Z'],
  ])('from=%s&to=%s survives', (from, to) => {
    const range = readTimeRange(from, to, utc);
    expect(range && writeTimeRange(range)).toEqual({ from, to });
  });

  it('without a start begins with the recording', () => {
    expect(readTimeRange('', 'now-5m', utc)?.from).toEqual({ kind: 'oldest' });
  });

  it('is none if it is absent or cannot be parsed', () => {
    expect(readTimeRange('', '', utc)).toBeUndefined();
    expect(readTimeRange('later', '', utc)).toBeUndefined();
    expect(readTimeRange('now-1h', 'now-2h', utc)).toBeUndefined();
  });
});

describe('a time range', () => {
  it.each([
    ['now-15m', 'Last 15 min'],
    ['now-24h', 'Last 24 h'],
    ['now-7d', 'Last 7 d'],
    ['now-90m', 'Last 1 h 30 min'],
    ['now-36h', 'Last 1 d 12 h'],
    ['everything', 'Everything recorded'],
    ['now-1h to now-30m', 'now-1h to now-30m'],
    ['20:00 to 20:10', '20:00:00 to 20:10:00'],
  ])('%s reads as "%s"', (text, expected) => {
    expect(formatTimeRange(parsed(text), clockText)).toBe(expected);
  });

  it('of each preset reads back as the same range', () => {
    for (const preset of timePresets) expect(parsed(formatTimeRange(preset, clockText))).toEqual(preset);
  });

  it.each([
    ['now-15m', true],
    ['everything', true],
    ['now-1h to now-1m', false],
    ['20:00 to 20:10', false],
  ])('%s can contain new events: %s', (text, expected) => {
    expect(isLiveRange(parsed(text), now)).toBe(expected);
  });

  it.each([
    ['now-15m', 'now-30m'],
    ['everything', 'oldest'],
    ['20:00 to 20:10', '2026-11-22T19:55:00.000Z..2026-11-22T20:15:00.000Z'],
    ['20:10 to 20:30', 'now-40m'],
  ])('%s zooms out to %s', (text, expected) => {
    expect(inUrl(zoomOutRange(parsed(text), utc))).toBe(expected);
  });

  it.each([
    ['now-10m', -1, '2026-11-22T20:10:00.000Z..2026-11-22T20:20:00.000Z'],
    ['now-10m', 1, undefined],
    ['20:00 to 20:10', 1, '2026-11-22T20:10:00.000Z..2026-11-22T20:20:00.000Z'],
    ['20:10 to 20:25', 1, 'now-15m'],
  ] as const)('%s moves by %d to %s', (text, direction, expected) => {
    expect(inUrl(shiftRange(parsed(text), direction, utc))).toBe(expected);
    expect(shiftRange(everything, direction, utc)).toBeUndefined();
  });
});
