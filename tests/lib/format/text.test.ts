import { describe, expect, it, test } from 'vitest';
import { formatBytes } from '@/lib/format/bytes';
import { compareValues } from '@/lib/format/compare-names';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatDuration } from '@/lib/format/duration';
import { formatDay, formatExactTime, formatShortTime } from '@/lib/format/exact-time';
import { formatIsoTime } from '@/lib/format/iso-time';
import { formatLocality, formatShortLocality } from '@/lib/format/locality';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import { formatShare } from '@/lib/format/share';
import { formatTimeAgo } from '@/lib/format/time-ago';
import { formatVisible } from '@/lib/format/visible-text';

describe('formatMiddleCut', () => {
  it.each([
    ['short', 8, 'short'],
    ['exactly8', 8, 'exactly8'],
    ['abcdefghij', 5, 'ab…ij'],
    ['abcdefghij', 6, 'abc…ij'],
    ['abcdefghij', 2, 'a…'],
    ['abcdefghij', 1, '…'],
    ['', 4, ''],
  ])('%s in %d', (text, max, expected) => {
    expect(formatMiddleCut(text, max)).toBe(expected);
  });

  it('does not split surrogate pairs', () => {
    expect(formatMiddleCut('😀😁😂😃😄😅', 3)).toBe('😀…😅');
    expect(formatMiddleCut('😀😁😂', 3)).toBe('😀😁😂');
  });
});

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.00 kB'],
    [9_994, '9.99 kB'],
    [9_996, '10.0 kB'],
    [99_960, '100 kB'],
    [999_600, '1.00 MB'],
    [4_194_304, '4.19 MB'],
    [16_777_216, '16.8 MB'],
    [2.5e15, '2500 TB'],
  ])('%d', (bytes, expected) => {
    expect(formatBytes(bytes)).toBe(expected);
  });
});

describe('formatTimeAgo', () => {
  const now = 1_000_000_000;
  it.each([
    [0, 'just now'],
    [1_600, '1 s ago'],
    [59_999, '59 s ago'],
    [60_000, '1 min ago'],
    [3_600_000, '1 h ago'],
    [47 * 3_600_000, '47 h ago'],
    [49 * 3_600_000, '2 d ago'],
    [-5_000, 'in 5 s'],
  ])('an age of %d ms', (ageMs, expected) => {
    expect(formatTimeAgo(now - ageMs, now)).toBe(expected);
  });
});

test('formatDay: the day in the given time zone', () => {
  const at = Date.UTC(2026, 10, 22, 23, 30);
  expect(formatDay(at, 'UTC')).toBe('22 Nov 2026');
  expect(formatDay(at, 'Asia/Tokyo')).toBe('23 Nov 2026');
});

describe('formatExactTime', () => {
  it('states date, time to the millisecond and zone', () => {
    const at = Date.parse('2026-11-21T00:31:07.042Z');
    expect(formatExactTime(at, 'UTC')).toBe('2026-11-21 00:31:07.042 UTC');
    expect(formatExactTime(at, 'Europe/Berlin')).toBe('2026-11-21 01:31:07.042 GMT+1');
  });

  it('reports invalid times', () => {
    expect(formatExactTime(Number.NaN, 'UTC')).toBe('not a time');
  });
});

describe('formatDuration', () => {
  it.each([
    [0.42, '0.4 ms'],
    [12.4, '12 ms'],
    [1_000, '1 s'],
    [1_240, '1.2 s'],
    [90_000, '90 s'],
    [300_000, '5 min'],
    [36_000_000, '10 h'],
    [28_476_000_000, '330 d'],
  ])('%d ms', (ms, expected) => {
    expect(formatDuration(ms)).toBe(expected);
  });
});

describe('formatShare', () => {
  it.each([
    [1, '100%'],
    [2.67, '267%'],
    [0.854, '85%'],
    [0.0011, '0.1%'],
  ])('%d', (share, expected) => {
    expect(formatShare(share)).toBe(expected);
  });
});

describe('counts and localities', () => {
  it('groups thousands, 64-bit ones included', () => {
    expect(formatCount(999)).toBe('999');
    expect(formatCount(12_345)).toBe('12,345');
    expect(formatCount('18446744073709551615')).toBe('18,446,744,073,709,551,615');
  });

  it('distinguishes singular and plural', () => {
    expect([formatCounted(1, 'client'), formatCounted(0, 'client')]).toEqual(['1 client', '0 clients']);
  });

  it('leaves out parts of a locality that the next part repeats', () => {
    expect(formatShortLocality({ region: 'eu-west1', zone: 'eu-west1-c', subZone: '' })).toBe('eu-west1-c');
    expect(formatShortLocality({ region: 'eu', zone: 'b', subZone: 'rack' })).toBe('eu / b / rack');
    expect(formatShortLocality(null)).toBe('no locality');
  });

  it('leaves out the parts of a locality that were not reported', () => {
    expect(formatLocality({ region: 'eu', zone: '', subZone: 'r' })).toBe('eu / r');
    expect(formatLocality({ region: '', zone: '', subZone: '' })).toBe('no locality');
    expect(formatLocality(null)).toBe('no locality');
  });
});

test.each([
  ['numbers by size', [10, -1, 2], [-1, 2, 10]],
  ['texts as names', ['shop-10', 'shop-2', 'Shop-3'], ['Shop-3', 'shop-2', 'shop-10']],
  ['a number beside a text as its digits', ['b', 10, 9], [9, 10, 'b']],
])('a sortable column orders %s, in the browser and on the server alike', (_what, given, ordered) => {
  expect([...given].sort(compareValues)).toEqual(ordered);
});

const now = Date.UTC(2026, 10, 21, 2, 31, 7);

test('formatShortTime is the time of today, else the day and the time, in the zone', () => {
  expect(formatShortTime(now - 60_000, now, 'UTC')).toBe('02:30:07');
  expect(formatShortTime(now - 3 * 3_600_000, now, 'UTC')).toBe('11-20 23:31');
  expect(formatShortTime(now - 60_000, now, 'Asia/Tokyo')).toBe('11:30:07');
});

it('formatIsoTime formats times out of the range of a Date as the nearest valid one', () => {
  expect(formatIsoTime(Date.parse('2024-02-29T23:59:59.999Z'))).toBe('2024-02-29T23:59:59.999Z');
  expect(formatIsoTime(Number.POSITIVE_INFINITY)).toBe('+275760-09-13T00:00:00.000Z');
  expect(formatIsoTime(-9e15)).toBe('-271821-04-20T00:00:00.000Z');
});

test.each([
  ['shop-cart', 'shop-cart'],
  ['line\r\nbreak', 'line␍␊break'],
  ['nul\u0000 tab\t del\u007f', 'nul␀ tab␉ del␡'],
  ['\u202egnp.exe', '\\u202egnp.exe'],
  ['\u05d0\u05d1 \u{1F469}\u200d\u{1F467}', '\u05d0\u05d1 \u{1F469}\u200d\u{1F467}'],
])('formatVisible of %j', (name, expected) => {
  expect(formatVisible(name)).toBe(expected);
});
