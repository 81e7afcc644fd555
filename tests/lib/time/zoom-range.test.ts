import { describe, expect, it } from 'vitest';
import { readTimeRange, writeTimeRange } from '@/lib/time/time-range';
import { moveRangeTo, zoomInRange } from '@/lib/time/zoom-range';

const now = Date.parse('2026-11-22T20:30:00.000Z');
const context = { now, timeZone: 'UTC' };
const at = (clock: string) => Date.parse(`2026-11-22T${clock}.000Z`);
const stretch = (from: string, to: string) => ({ from: at(from), to: at(to) });

describe('zoomInRange', () => {
  it.each([
    ['the end of a stretch that ends now', stretch('20:20:00', '20:30:00'), null, 'now-5m', ''],
    ['the end', stretch('20:00:00', '20:10:00'), null, '20:05:00', '20:10:00'],
    ['a time', stretch('20:00:00', '20:10:00'), '20:04:00', '20:01:30', '20:06:30'],
    ['a time near the beginning', stretch('20:00:00', '20:10:00'), '20:00:01', '20:00:00', '20:05:00'],
    ['a time before the stretch', stretch('20:00:00', '20:10:00'), '19:00:00', '20:00:00', '20:05:00'],
    [
      'a stretch of a second, which is the shortest',
      stretch('20:00:00', '20:00:01'),
      null,
      '20:00:00',
      '20:00:01',
    ],
  ])('shows half of it around %s', (_, whole, around, from, to) => {
    const zoomed = writeTimeRange(zoomInRange(whole, around === null ? null : at(around), context));
    const iso = (clock: string) => (/^\d/.test(clock) ? new Date(at(clock)).toISOString() : clock);
    expect(zoomed).toEqual({ from: iso(from), to: iso(to) });
  });
});

describe('moveRangeTo', () => {
  it.each([
    ['2026-11-22T20:00:00.000Z', '2026-11-22T20:10:00.000Z', '20:05:00', undefined],
    [
      '2026-11-22T20:00:00.000Z',
      '2026-11-22T20:10:00.000Z',
      '19:00:00',
      '2026-11-22T18:55:00.000Z..2026-11-22T19:05:00.000Z',
    ],
    ['2026-11-22T20:00:00.000Z', '2026-11-22T20:10:00.000Z', '20:29:00', 'now-10m..'],
    ['now-10m', '', '20:29:00', undefined],
    ['now-10m', '', '20:00:00', '2026-11-22T19:55:00.000Z..2026-11-22T20:05:00.000Z'],
    ['oldest', '', '20:00:00', undefined],
    ['oldest', '2026-11-22T20:00:00.000Z', '20:10:00', 'oldest..2026-11-22T20:10:00.000Z'],
  ])('%s..%s to %s', (from, to, clock, expected) => {
    const range = readTimeRange(from, to, context);
    const moved = range && moveRangeTo(range, at(clock), context);
    const written = moved && writeTimeRange(moved);
    expect(written && `${written.from}..${written.to}`).toBe(expected);
  });
});
