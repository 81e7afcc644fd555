import { describe, expect, it } from 'vitest';
import { timeParameter } from '@/lib/views/fields/query-fields';

describe('a time as a parameter', () => {
  it.each([
    ['2026-11-28T14:48:00Z', Date.UTC(2026, 10, 28, 14, 48)],
    ['2026-11-28T15:48:00.001+01:00', Date.UTC(2026, 10, 28, 14, 48, 0, 1)],
    ['1795877280000', 1_795_877_280_000],
    [1_795_877_280_000, 1_795_877_280_000],
    [1_795_877_280_000.75, 1_795_877_280_000],
    // An imported file may have been written in 1970.
    [-900_000, -900_000],
  ])('%j is %i milliseconds since 1970', (input, expected) => {
    expect(timeParameter.parse(input)).toBe(expected);
  });

  it.each(['', ' 1', '1e3', '9999999999999999', '2026-11-28', Number.NaN, Number.POSITIVE_INFINITY, null])(
    'rejects %j with what is expected',
    (input) => {
      expect(timeParameter.safeParse(input).error?.issues.map(({ message }) => message)).toEqual([
        'expected an ISO 8601 time as in 2026-11-21T11:04:07.123Z, or milliseconds since 1970',
      ]);
    },
  );
});
