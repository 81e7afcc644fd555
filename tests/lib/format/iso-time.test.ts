import { expect, it } from 'vitest';
import { formatIsoTime, formatIsoTimeOrNull } from '@/lib/format/iso-time';

it('formatIsoTime formats moments that no Date can hold as the nearest one', () => {
  expect(formatIsoTime(Date.parse('2024-02-29T23:59:59.999Z'))).toBe('2024-02-29T23:59:59.999Z');
  expect(formatIsoTime(Number.POSITIVE_INFINITY)).toBe('+275760-09-13T00:00:00.000Z');
  expect(formatIsoTime(-9e15)).toBe('-271821-04-20T00:00:00.000Z');
  expect(formatIsoTimeOrNull(null)).toBeNull();
});
