import type { EpochMs } from '../../xds/units';
import type { IdleStretch } from './collapse-idle';

/** What of the axis is in sight. */
export interface TimeWindow {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** The shortest window: times are reported in whole milliseconds. */
const leastSpanMs = 20;

/**
 * An axis of time whose idle stretches have the same width at every zoom:
 *
 *     |--active--|/break/|----active----|/break/|-active-|
 *       px per ms  breakPx   px per ms
 *
 * Content pixels are counted from the axis' beginning at a scale of so many pixels a millisecond.
 */
export class CollapsedAxis {
  constructor(
    readonly extent: TimeWindow,
    /** In order, within the extent, apart from each other. */
    readonly breaks: readonly IdleStretch[],
    readonly breakPx: number,
  ) {}

  /** Milliseconds outside breaks; less than zero when `to` is before `from`. */
  private activeMs(from: EpochMs, to: EpochMs): number {
    let idleMs = 0;
    for (const stretch of this.breaks) {
      idleMs += clamp(to, stretch.from, stretch.to) - clamp(from, stretch.from, stretch.to);
    }
    return to - from - idleMs;
  }

  /** How many breaks are between; one that is reached into counts as its share. */
  private breaksBetween(from: EpochMs, to: EpochMs): number {
    let count = 0;
    for (const stretch of this.breaks) {
      count +=
        (clamp(to, stretch.from, stretch.to) - clamp(from, stretch.from, stretch.to)) /
        (stretch.to - stretch.from);
    }
    return count;
  }

  /** The scale at which the window fills the width. */
  scaleOf({ from, to }: TimeWindow, widthPx: number): number {
    const roomPx = Math.max(1, widthPx - this.breaksBetween(from, to) * this.breakPx);
    return roomPx / Math.max(this.activeMs(from, to), leastSpanMs);
  }

  /** Pixels of a moment from the window's left edge, and back. */
  over(window: TimeWindow, widthPx: number): TimeScale {
    const pxPerMs = this.scaleOf(window, widthPx);
    const line = this.lineAt(pxPerMs);
    const leftPx = line.toPx(window.from);
    return {
      window,
      widthPx,
      pxPerMs,
      toX: (at) => line.toPx(at) - leftPx,
      toAt: (x) => line.toAt(x + leftPx),
    };
  }

  /** The window after a zoom by `factor` about a point that stays where it is, and a move by `dx` to the right. */
  move(window: TimeWindow, widthPx: number, { factor = 1, x = widthPx / 2, dx = 0 }: AxisMove): TimeWindow {
    const now = this.over(window, widthPx);
    const whole = this.scaleOf(this.extent, widthPx);
    const pxPerMs = clamp(now.pxPerMs * factor, whole, Math.max(whole, widthPx / leastSpanMs));
    const line = this.lineAt(pxPerMs);
    const wholePx = line.toPx(this.extent.to);
    const leftPx = clamp(line.toPx(now.toAt(x)) - x - dx, 0, Math.max(0, wholePx - widthPx));
    return { from: line.toAt(leftPx), to: line.toAt(leftPx + widthPx) };
  }

  private lineAt(pxPerMs: number): ContentLine {
    return new ContentLine(this, pxPerMs);
  }

  /** Is that all there is? */
  isWhole({ from, to }: TimeWindow): boolean {
    const slackMs = (this.extent.to - this.extent.from) * 1e-6 + 0.5;
    return from <= this.extent.from + slackMs && to >= this.extent.to - slackMs;
  }
}

export interface AxisMove {
  /** Above 1 is nearer. */
  readonly factor?: number;
  /** Pixels; the middle when it is left out. */
  readonly x?: number;
  /** The content moves so many pixels to the right. */
  readonly dx?: number;
}

export interface TimeScale {
  readonly window: TimeWindow;
  readonly widthPx: number;
  readonly pxPerMs: number;
  readonly toX: (at: EpochMs) => number;
  readonly toAt: (x: number) => EpochMs;
}

/** Content pixels over time: active, break, active, break, active..., each of them straight. */
class ContentLine {
  private readonly at: number[] = [];
  private readonly px: number[] = [];
  private readonly rate: number[] = [];

  constructor({ extent, breaks, breakPx }: CollapsedAxis, pxPerMs: number) {
    let px = 0;
    let at = extent.from;
    const begin = (from: EpochMs, rate: number) => {
      px += (from - at) * (this.rate.at(-1) ?? 0);
      at = from;
      this.at.push(from);
      this.px.push(px);
      this.rate.push(rate);
    };
    begin(extent.from, pxPerMs);
    for (const { from, to } of breaks) {
      begin(from, breakPx / (to - from));
      begin(to, pxPerMs);
    }
  }

  /** What is before the beginning is below zero. */
  toPx(at: EpochMs): number {
    const index = lastAtMost(this.at, at);
    return (this.px[index] ?? 0) + (at - (this.at[index] ?? 0)) * (this.rate[index] ?? 0);
  }

  toAt(px: number): EpochMs {
    const index = lastAtMost(this.px, px);
    return (this.at[index] ?? 0) + (px - (this.px[index] ?? 0)) / (this.rate[index] ?? 1);
  }
}

/** The last place whose value is not above; the first place when all are. `sorted` is not empty. */
function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
