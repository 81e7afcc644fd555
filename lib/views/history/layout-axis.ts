import { utcTickInterval } from 'd3';
import { formatDuration } from '../../format/duration';
import { formatExactTime } from '../../format/exact-time';
import type { EpochMs } from '../../xds/units';
import type { CollapsedAxis, TimeScale } from './collapsed-axis';
import type { HistoryGap } from './schema';

/** CSS pixels from the window's left edge. */
export interface AxisLayout {
  /** Far enough from each other for their labels. */
  readonly ticks: readonly { readonly x: number; readonly at: EpochMs }[];
  /** Milliseconds between two ticks outside breaks, which determine the format of labels. */
  readonly stepMs: number;
  /** Collapsed idle time. */
  readonly breaks: readonly {
    readonly x: number;
    readonly width: number;
    readonly label: string;
    readonly from: EpochMs;
  }[];
}

const tickEveryPx = 110;
const leastTickPx = 74;
/** Half the width of the longest label. Labels nearer to an edge are moved inside. */
const halfLabelPx = 34;

export function layoutAxis(axis: CollapsedAxis, scale: TimeScale): AxisLayout {
  const { window, widthPx, pxPerMs, toX } = scale;
  const stepMs = tickEveryPx / pxPerMs;
  const breaks = axis.breaks
    .filter(({ from, to }) => to > window.from && from < window.to)
    .map(({ from, to }) => ({
      x: toX(from),
      width: toX(to) - toX(from),
      label: formatDuration(to - from),
      from,
    }));
  const interval = utcTickInterval(new Date(0), new Date(stepMs * 10), 10);
  const ticks: { x: number; at: EpochMs }[] = [];
  for (const { from, to } of activeStretches(axis, scale)) {
    for (const date of interval?.range(new Date(Math.ceil(from)), new Date(Math.ceil(to))) ?? []) {
      const x = toX(date.getTime());
      const last = ticks.at(-1);
      if (x < 0 || x > widthPx || (last !== undefined && x - last.x < leastTickPx)) continue;
      ticks.push({ x, at: date.getTime() });
    }
  }
  return { ticks: ticks.filter(withRoom(widthPx)), stepMs, breaks };
}

/** Tests that a label that is moved inside does not overlap the next one. */
function withRoom(widthPx: number) {
  return ({ x }: { readonly x: number }, index: number, all: readonly { readonly x: number }[]): boolean => {
    const before = all[index - 1]?.x ?? Number.NEGATIVE_INFINITY;
    const after = all[index + 1]?.x ?? Number.POSITIVE_INFINITY;
    const roomPx = x < halfLabelPx ? after - x : x > widthPx - halfLabelPx ? x - before : widthPx;
    return roomPx >= 3 * halfLabelPx;
  };
}

function activeStretches({ breaks }: CollapsedAxis, { window }: TimeScale): { from: EpochMs; to: EpochMs }[] {
  const starts = [window.from, ...breaks.map(({ to }) => to)];
  const ends = [...breaks.map(({ from }) => from), window.to];
  return starts
    .map((start, index) => ({
      from: Math.max(start, window.from),
      to: Math.min(ends[index] ?? window.to, window.to),
    }))
    .filter(({ from, to }) => to > from);
}

export interface Span {
  readonly x: number;
  readonly width: number;
}

const leastSpanPx = 3;

/** Places an interval; undefined if it is not visible. Short intervals have a minimum width. */
export function layoutSpan({ toX, widthPx }: TimeScale, from: EpochMs, to: EpochMs): Span | undefined {
  const start = toX(from);
  const end = Math.max(toX(to), start + leastSpanPx);
  if (end < 0 || start > widthPx) return undefined;
  const x = Math.max(-leastSpanPx, start);
  return { x, width: Math.min(end, widthPx + leastSpanPx) - x };
}

export function layoutGaps(
  gaps: readonly HistoryGap[],
  scale: TimeScale,
): (Span & { readonly gap: HistoryGap })[] {
  return gaps.flatMap((gap) => {
    const span = layoutSpan(scale, gap.from, gap.to);
    return span === undefined ? [] : [{ ...span, gap }];
  });
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Formats the time of a tick for the distance of ticks: "11-20", "02:31", "02:31:07", "02:31:07.042". */
export function formatAxisTime(at: EpochMs, stepMs: number, timeZone: string): string {
  const exact = formatExactTime(at, timeZone);
  if (stepMs < 1_000) return exact.slice(11, 23);
  if (stepMs < minuteMs) return exact.slice(11, 19);
  return stepMs < dayMs ? exact.slice(11, 16) : exact.slice(5, 10);
}
