import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIsoTime, formatIsoTimeOrNull } from '@/lib/format/iso-time';

describe('formatIsoTime', () => {
  it('spells every moment as a Date does', () => {
    const moments = fc.oneof(
      fc.double({ min: -8.64e15, max: 8.64e15, noNaN: true }),
      fc.double({ min: 0, max: 4e12, noNaN: true }),
      fc.integer({ min: 0, max: 3_000_000 }).map((day) => day * 86_400_000 - 1),
    );
    fc.assert(
      fc.property(moments, (at) => {
        expect(formatIsoTime(at)).toBe(new Date(at).toISOString());
      }),
      { numRuns: 2_000 },
    );
  });

  it('knows the days around leap days and the ends of the range', () => {
    for (const text of ['1970-01-01', '2000-02-29', '2024-03-01', '2100-02-28', '2100-03-01', '9999-12-31']) {
      const iso = `${text}T23:59:59.999Z`;
      expect(formatIsoTime(Date.parse(iso))).toBe(iso);
    }
    expect(formatIsoTime(253_402_300_800_000)).toBe('+010000-01-01T00:00:00.000Z');
    expect(formatIsoTime(Number.POSITIVE_INFINITY)).toBe('+275760-09-13T00:00:00.000Z');
    expect(formatIsoTimeOrNull(null)).toBeNull();
  });
});
