import { bisectRight, sum } from 'd3';
import type { EpochMs } from '../../xds/units';
import type { TimeWindow } from './collapse-idle';

export type { TimeWindow };

/** The shortest window: times are reported in whole milliseconds. */
const leastSpanMs = 20;

/**
 * An axis of time whose idle stretches have the same width at every zoom:
 *
 *     |--active--|/break/|----active----|/break/|-active-|
 *       px per ms  breakPx   px per ms
 *
 * Content pixels are counted from the start of the axis, at a scale in pixels per millisecond.
 */
export class CollapsedAxis {
  constructor(
    readonly extent: TimeWindow,
    /** Sorted, within the extent, without overlaps. */
    readonly breaks: readonly TimeWindow[],
    readonly breakPx: number,
  ) {}

  /** Milliseconds outside breaks; negative if `to` is before `from`. */
  #activeMs(from: EpochMs, to: EpochMs): number {
    return to - from - sum(this.breaks, (stretch) => overlapMs(stretch, from, to));
  }

  /** The number of breaks in between. A part of a break counts as its share. */
  #breaksBetween(from: EpochMs, to: EpochMs): number {
    return sum(this.breaks, (stretch) => overlapMs(stretch, from, to) / (stretch.to - stretch.from));
  }

  scaleOf({ from, to }: TimeWindow, widthPx: number): number {
    const roomPx = Math.max(1, widthPx - this.#breaksBetween(from, to) * this.breakPx);
    return roomPx / Math.max(this.#activeMs(from, to), leastSpanMs);
  }

  /** Converts times to pixels from the window's left edge, and back. */
  over(window: TimeWindow, widthPx: number): TimeScale {
    const pxPerMs = this.scaleOf(window, widthPx);
    const line = new ContentLine(this, pxPerMs);
    const leftPx = line.toPx(window.from);
    return {
      window,
      widthPx,
      pxPerMs,
      toX: (at) => line.toPx(at) - leftPx,
      toAt: (x) => line.toAt(x + leftPx),
    };
  }

  /** Returns the window after a zoom by `factor` around `x`, and a move by `dx` to the right. */
  move(window: TimeWindow, widthPx: number, { factor = 1, x = widthPx / 2, dx = 0 }: AxisMove): TimeWindow {
    const now = this.over(window, widthPx);
    const whole = this.scaleOf(this.extent, widthPx);
    const pxPerMs = clamp(now.pxPerMs * factor, whole, Math.max(whole, widthPx / leastSpanMs));
    const line = new ContentLine(this, pxPerMs);
    const wholePx = line.toPx(this.extent.to);
    const leftPx = clamp(line.toPx(now.toAt(x)) - x - dx, 0, Math.max(0, wholePx - widthPx));
    return { from: line.toAt(leftPx), to: line.toAt(leftPx + widthPx) };
  }

  isWhole({ from, to }: TimeWindow): boolean {
    const slackMs = (this.extent.to - this.extent.from) * 1e-6 + 0.5;
    return from <= this.extent.from + slackMs && to >= this.extent.to - slackMs;
  }
}

export interface AxisMove {
  /** Factors above 1 zoom in. */
  readonly factor?: number;
  /** Pixels; by default the middle. */
  readonly x?: number;
  /** Pixels that the content moves to the right. */
  readonly dx?: number;
}

export interface TimeScale {
  readonly window: TimeWindow;
  readonly widthPx: number;
  readonly pxPerMs: number;
  readonly toX: (at: EpochMs) => number;
  readonly toAt: (x: number) => EpochMs;
}

/** Content pixels over time, piecewise linear: active, break, active, break, active. */
class ContentLine {
  readonly #at: number[] = [];
  readonly #px: number[] = [];
  readonly #rate: number[] = [];

  constructor({ extent, breaks, breakPx }: CollapsedAxis, pxPerMs: number) {
    let px = 0;
    let at = extent.from;
    const begin = (from: EpochMs, rate: number) => {
      px += (from - at) * (this.#rate.at(-1) ?? 0);
      at = from;
      this.#at.push(from);
      this.#px.push(px);
      this.#rate.push(rate);
    };
    begin(extent.from, pxPerMs);
    for (const { from, to } of breaks) {
      begin(from, breakPx / (to - from));
      begin(to, pxPerMs);
    }
  }

  /** Returns negative pixels for times before the start. */
  toPx(at: EpochMs): number {
    const index = Math.max(0, bisectRight(this.#at, at) - 1);
    return (this.#px[index] ?? 0) + (at - (this.#at[index] ?? 0)) * (this.#rate[index] ?? 0);
  }

  toAt(px: number): EpochMs {
    const index = Math.max(0, bisectRight(this.#px, px) - 1);
    return (this.#at[index] ?? 0) + (px - (this.#px[index] ?? 0)) / (this.#rate[index] ?? 1);
  }
}

/** Negative if `to` is before `from`. */
function overlapMs(stretch: TimeWindow, from: EpochMs, to: EpochMs): number {
  return clamp(to, stretch.from, stretch.to) - clamp(from, stretch.from, stretch.to);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
