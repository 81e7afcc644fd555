import { describe, expect, it } from 'vitest';
import { findClientRelease, isReleaseWithin } from '@/lib/xds/client-release';

describe('findClientRelease', () => {
  it.each([
    ['1.85.0', 1, 85],
    ['1.76.0-dev', 1, 76],
    ['v1.64.1', 1, 64],
    ['C-core 58.0.0 Python 1.85.1', 1, 85],
    ['1.85', 1, 85],
  ])('%s', (text, major, minor) => {
    expect(findClientRelease(text)).toEqual({ major, minor });
  });

  it.each(['', '1', 'unknown', '1.x', '1.85.1/Modified 2.', `1.${'9'.repeat(400)}`])(
    '"%s" has none',
    (text) => {
      expect(findClientRelease(text)).toBeUndefined();
    },
  );
});

describe('isReleaseWithin', () => {
  const range = [
    { major: 1, minor: 70 },
    { major: 1, minor: 85 },
  ] as const;

  it('includes both ends', () => {
    const within = (major: number, minor: number) => isReleaseWithin({ major, minor }, range);
    expect([within(1, 69), within(1, 70), within(1, 85), within(1, 86), within(2, 75)]).toEqual([
      ...[false, true, true, false, false],
    ]);
  });
});
