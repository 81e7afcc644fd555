import { utcTicks } from 'd3';
import type { EpochMs } from '../../xds/units';

type Interval = readonly [from: number, to: number];

/** Places a value of an axis, in pixels. The scales of d3 also interpolate colours and format ticks, which is six times the code. */
export interface AxisScale {
  (value: number): number;
  /** The value at a place. */
  invert(px: number): number;
}

export function linearScale(values: Interval, places: Interval): AxisScale {
  return Object.assign((value: number) => mix(places, partOf(values, value)), {
    invert: (px: number) => mix(values, partOf(places, px)),
  });
}

/** Values outside of the axis are placed at its ends. */
export function clampedScale(values: Interval, places: Interval): AxisScale {
  const scale = linearScale(values, places);
  return Object.assign((value: number) => scale(clamp(values, value)), {
    invert: (px: number) => clamp(values, scale.invert(px)),
  });
}

/** A clamped logarithmic scale. Precondition: all values are positive. */
export function logScale([from, to]: Interval, places: Interval): AxisScale {
  const scale = clampedScale([Math.log(from), Math.log(to)], places);
  return Object.assign((value: number) => scale(Math.log(value)), {
    invert: (px: number) => Math.exp(scale.invert(px)),
  });
}

/** Returns about `count` round times. */
export function timeTicks([from, to]: Interval, count: number): EpochMs[] {
  return utcTicks(new Date(from), new Date(to), count).map((date) => date.getTime());
}

/** The middle of an empty interval. */
function partOf([from, to]: Interval, value: number): number {
  return from === to ? 0.5 : (value - from) / (to - from);
}

function mix([from, to]: Interval, part: number): number {
  return from * (1 - part) + to * part;
}

function clamp([from, to]: Interval, value: number): number {
  return Math.min(Math.max(from, to), Math.max(Math.min(from, to), value));
}
