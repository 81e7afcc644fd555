import { expect, it } from 'vitest';
import { boundClock, type ClockBounds } from '@/lib/observation/clock-bounds';
import { describeClock } from '@/lib/views/client/describe-clock';
import { sampleResource } from '../../support/builders/observation-samples';

/** Polls of a source whose clock is ahead by `skewMs`: updates by our clock, which the next poll reports. */
function poll(
  skewMs: number,
  ...polls: readonly { readonly at: number; readonly updates: readonly number[] }[]
) {
  let bounds: ClockBounds | undefined;
  let previousAt: number | undefined;
  for (const { at, updates } of polls) {
    const changed = updates.map((each) => sampleResource({ lastUpdated: each + skewMs }));
    bounds = boundClock(bounds, { changed, at, ...(previousAt !== undefined && { previousAt }) });
    previousAt = at;
  }
  return bounds;
}

it.each([0, 3_600_000, -90_000])(
  'the clock of a source that is %i ms ahead is found between two bounds',
  (skewMs) => {
    const bounds = poll(
      skewMs,
      { at: 10_000_000, updates: [9_000_000] },
      { at: 10_010_000, updates: [10_009_000] },
      { at: 10_020_000, updates: [10_011_000] },
    );
    expect(bounds).toEqual({
      newestUpdate: 10_011_000 + skewMs,
      fromMs: skewMs - 1_000,
      toMs: skewMs + 1_000,
    });
  },
);

it('rows that change without an update show nothing of the clock', () => {
  const first = poll(0, { at: 10_000, updates: [5_000] });
  expect(first?.toMs).toBeNull();
  const old = [sampleResource({ lastUpdated: 4_000 }), sampleResource({ lastUpdated: null })];
  expect(boundClock(first, { changed: old, at: 20_000, previousAt: 10_000 })).toBe(first);
});

it('a clock that is set has new bounds', () => {
  const before = poll(0, { at: 10_000, updates: [5_000] }, { at: 20_000, updates: [15_000] });
  const changed = [sampleResource({ lastUpdated: 95_000 })];
  const after = boundClock(before, { changed, at: 30_000, previousAt: 20_000 });
  expect(after).toEqual({ newestUpdate: 95_000, fromMs: 65_000, toMs: 75_000 });
});

it('a skew is described only if the clocks differ for certain', () => {
  expect(describeClock({ fromMs: -500, toMs: 300 })).toBe('');
  expect(describeClock(undefined)).toBe('');
  expect(describeClock({ fromMs: 2_000, toMs: 2_500 })).toBe('clock 2 s to 2.5 s ahead');
  expect(describeClock({ fromMs: -90_000, toMs: -88_000 })).toBe('clock 88 s to 90 s behind');
});
