import { expect, test } from 'vitest';
import { formatShortTime } from '@/lib/format/exact-time';

const now = Date.UTC(2026, 10, 21, 2, 31, 7);

test('formatShortTime is the time of today, else the day and the time, in the zone', () => {
  expect(formatShortTime(now - 60_000, now, 'UTC')).toBe('02:30:07');
  expect(formatShortTime(now - 3 * 3_600_000, now, 'UTC')).toBe('11-20 23:31');
  expect(formatShortTime(now - 60_000, now, 'Asia/Tokyo')).toBe('11:30:07');
});
