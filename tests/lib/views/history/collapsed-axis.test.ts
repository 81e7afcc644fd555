import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findIdle } from '@/lib/views/history/collapse-idle';
import { CollapsedAxis } from '@/lib/views/history/collapsed-axis';

const hourMs = 3_600_000;

describe('findIdle', () => {
  test('finds the long pauses between events, with room at either side', () => {
    const found = findIdle([0, 1_000, 2_000, hourMs, hourMs + 1_000], {
      from: 0,
      to: hourMs + 1_000,
      most: 9,
    });
    expect(found).toHaveLength(1);
    expect(found[0]?.from).toBeGreaterThan(2_000);
    expect(found[0]?.to).toBeLessThan(hourMs);
  });

  test('keeps regular intervals, however long', () => {
    const beat = Array.from({ length: 25 }, (_, index) => index * hourMs);
    // Each pause is a 24th of the day: without all of them nothing would remain.
    expect(findIdle(beat, { from: 0, to: 24 * hourMs, most: 4 })).toHaveLength(4);
    const fast = Array.from({ length: 100 }, (_, index) => index * hourMs);
    expect(findIdle(fast, { from: 0, to: 99 * hourMs, most: 4 })).toEqual([]);
  });

  test('collapses the time before the first and after the last event', () => {
    const found = findIdle([hourMs, hourMs + 5_000], { from: 0, to: 2 * hourMs, most: 9 });
    expect(found.map(({ from, to }) => [from < hourMs, to < hourMs])).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  test('keeps the longest ones, in the order of time, when there is room for fewer', () => {
    const found = findIdle([0, 100_000, 400_000, 600_000], { from: 0, to: 600_000, most: 2 });
    expect(found.map(({ from }) => Math.floor(from / 100_000))).toEqual([1, 4]);
  });
});

const extent = { from: 0, to: 100_000 };
const axis = new CollapsedAxis(extent, [{ from: 20_000, to: 80_000 }], 40);

describe('CollapsedAxis', () => {
  test('keeps the width of breaks at every zoom', () => {
    for (const window of [extent, { from: 10_000, to: 90_000 }, { from: 19_900, to: 80_100 }]) {
      const { toX } = axis.over(window, 440);
      expect(toX(80_000) - toX(20_000)).toBeCloseTo(40, 6);
      expect(toX(window.from)).toBeCloseTo(0, 6);
      expect(toX(window.to)).toBeCloseTo(440, 6);
    }
  });

  test('distributes the rest of the width over the active time', () => {
    const { toX } = axis.over(extent, 440);
    expect(toX(20_000)).toBeCloseTo(200, 6);
    expect(toX(90_000)).toBeCloseTo(340, 6);
  });

  test('zooms about a moment that stays where it is', () => {
    const before = axis.over(extent, 440);
    const window = axis.move(extent, 440, { factor: 8, x: 300 });
    expect(axis.over(window, 440).toX(before.toAt(300))).toBeCloseTo(300, 3);
  });

  test('moves by pixels, over a break too, and not beyond its ends', () => {
    const near = axis.move(extent, 440, { factor: 4, x: 100 });
    const at = axis.over(near, 440).toAt(200);
    const moved = axis.move(near, 440, { dx: -150 });
    expect(axis.over(moved, 440).toX(at)).toBeCloseTo(50, 3);
    expect(axis.move(near, 440, { dx: 1e9 }).from).toBe(0);
    expect(axis.move(near, 440, { dx: -1e9 }).to).toBeCloseTo(100_000, 3);
  });

  test('shows the whole axis at the smallest zoom', () => {
    const near = axis.move(extent, 440, { factor: 50 });
    expect(axis.isWhole(near)).toBe(false);
    expect(axis.isWhole(axis.move(near, 440, { factor: 1e-9 }))).toBe(true);
  });

  test('toAt undoes toX everywhere, and later is never to the left of earlier', () => {
    const stretches = fc
      .array(fc.integer({ min: 1, max: 99_999 }), { maxLength: 12 })
      .map((cuts) => [...new Set(cuts)].sort((a, b) => a - b))
      .map((cuts) => cuts.slice(0, cuts.length - (cuts.length % 2)))
      .map((cuts) =>
        Array.from({ length: cuts.length / 2 }, (_, index) => ({
          from: cuts[index * 2] ?? 0,
          to: cuts[index * 2 + 1] ?? 0,
        })),
      );
    const moments = fc.tuple(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 0, max: 100_000 }));
    fc.assert(
      fc.property(stretches, moments, moments, (breaks, [a, b], [from, to]) => {
        fc.pre(from + 100 < to);
        const { toX, toAt } = new CollapsedAxis(extent, breaks, 36).over({ from, to }, 1_200);
        expect(Math.abs(toAt(toX(a)) - a)).toBeLessThan(0.01);
        if (a < b) expect(toX(a)).toBeLessThan(toX(b));
      }),
    );
  });
});
