import { scaleLinear, scaleLog, scaleUtc } from 'd3';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clampedScale, linearScale, logScale, timeTicks } from '@/lib/views/drawing/axis-scale';

const number = fc.integer({ min: -1_000_000, max: 1_000_000 });
const interval = fc.tuple(number, number).filter(([from, to]) => from !== to);

describe('the scales place values as those of d3 do', () => {
  it('linear', () => {
    fc.assert(
      fc.property(interval, interval, number, (values, places, at) => {
        const [own, theirs] = [linearScale(values, places), scaleLinear(values, places)];
        expect(own(at)).toBeCloseTo(theirs(at), 3);
        expect(own.invert(at)).toBeCloseTo(theirs.invert(at), 3);
      }),
    );
  });

  it('clamped', () => {
    fc.assert(
      fc.property(interval, interval, number, (values, places, at) => {
        const [own, theirs] = [clampedScale(values, places), scaleLinear(values, places).clamp(true)];
        expect(own(at)).toBeCloseTo(theirs(at), 3);
        expect(own.invert(at)).toBeCloseTo(theirs.invert(at), 3);
      }),
    );
  });

  it('logarithmic', () => {
    const theirs = scaleLog([1, 5_000], [46, 600]).clamp(true);
    const own = logScale([1, 5_000], [46, 600]);
    for (const at of [0.5, 1, 2, 70, 5_000, 6_000]) expect(own(at)).toBeCloseTo(theirs(at), 6);
    for (const px of [0, 46, 300, 600, 700]) expect(own.invert(px)).toBeCloseTo(theirs.invert(px), 6);
  });

  it('an empty interval is in the middle', () => {
    expect(linearScale([5, 5], [0, 10])(5)).toBe(scaleLinear([5, 5], [0, 10])(5));
  });

  it('ticks of times', () => {
    const [from, to] = [Date.UTC(2026, 0, 1, 10, 3), Date.UTC(2026, 0, 1, 11, 47)];
    const theirs = scaleUtc([from, to], [0, 1]).ticks(6);
    expect(timeTicks([from, to], 6)).toEqual(theirs.map((date) => date.getTime()));
    expect(timeTicks([from, to], 6)).toContain(Date.UTC(2026, 0, 1, 10, 15));
  });
});
