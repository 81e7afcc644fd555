import { bisectLeft } from 'd3';
import type { HistoryLane, HistoryLanes } from './build-lanes';
import type { TimeScale } from './collapsed-axis';
import { isTroubleKind } from './event-shape';
import { type HistoryKind, historyKinds } from './history-kinds';
import { laneHeightPx, type PlacedLanes } from './place-lanes';

/**
 * The level of detail: `density` counts events (a day), `bursts` draws overlapping events as one (an hour), `events` draws
 * each (seconds). The events of crowded windows are counted, whatever the window's length.
 */
export type HistoryLevel = 'density' | 'bursts' | 'events';

/** The visible part of the drawing, in CSS pixels from the window's left and the rows' top. */
export interface HistoryFrame {
  readonly level: HistoryLevel;
  /** Columns in the order of drawing: trouble is last, so that no other mark hides it. */
  readonly marks: {
    readonly mark: readonly number[];
    readonly x: readonly number[];
    readonly y: readonly number[];
    /** Indexes of historyKinds. */
    readonly kind: readonly number[];
  };
  /** The bars from responses to their ACK or NACK. */
  readonly waits: readonly WaitBar[];
  readonly bursts: readonly Burst[];
  readonly bars: readonly DensityBar[];
}

export interface WaitBar {
  readonly x: number;
  readonly width: number;
  readonly y: number;
  readonly isRejected: boolean;
}

/** Events that overlap, as one pill. */
export interface Burst {
  readonly x: number;
  readonly width: number;
  readonly y: number;
  readonly count: number;
  /** The index of its first mark. */
  readonly mark: number;
}

export interface DensityBar {
  readonly x: number;
  readonly width: number;
  /** The lower edge. */
  readonly y: number;
  readonly heightPx: number;
  /** The part for events in trouble, from the lower edge; 0 if there are none. */
  readonly troublePx: number;
  readonly count: number;
  readonly troubles: number;
}

export interface FrameOptions {
  readonly scale: TimeScale;
  readonly top: number;
  readonly bottom: number;
}

/** Marks that are nearer than this overlap. */
const touchPx = 10;
/** Longer bursts are split. */
const longestBurstPx = 80;
/** The width of a slice whose events are counted. */
const binPx = 5;
/** If marks of one kind are nearer than this, only one is drawn. */
const samePx = 1.5;
/** Marks for the width of one, on average, from which on they are drawn as bursts, and are counted. */
const crowdedForBursts = 0.3;
const crowdedForDensity = 3;
/** At this scale each event is drawn. */
const nearPxPerMs = 0.03;
const leastWaitPx = 1;
const fromClient: ReadonlySet<HistoryKind> = new Set(['request-sent', 'ack-sent', 'nack-sent']);
const isTrouble = historyKinds.map(isTroubleKind);
/** Responses are above the lane's middle, requests below, so that an ACK does not hide its response. */
const shiftPx = historyKinds.map((kind) =>
  kind === 'response-received' ? -4 : fromClient.has(kind) ? 4 : 0,
);
const ack = historyKinds.indexOf('ack-sent');
const nack = historyKinds.indexOf('nack-sent');

export function layoutHistory(
  history: HistoryLanes,
  placed: PlacedLanes,
  options: FrameOptions,
): HistoryFrame {
  const level = chooseLevel(history, options.scale);
  const frame = new FrameBuilder(history, options.scale);
  history.lanes.forEach((lane, place) => {
    const y = placed.middles[place] ?? 0;
    if (y + laneHeightPx < options.top || y - laneHeightPx > options.bottom) return;
    if (level === 'density') frame.count(lane, y);
    else frame.draw(lane, y, level);
  });
  return frame.finish(level);
}

function chooseLevel({ marks, lanes }: HistoryLanes, { window, widthPx, pxPerMs }: TimeScale): HistoryLevel {
  if (pxPerMs >= nearPxPerMs) return 'events';
  const seen = bisectLeft(marks.at, window.to) - bisectLeft(marks.at, window.from);
  const crowding = seen / Math.max(1, (lanes.length * widthPx) / touchPx);
  return crowding > crowdedForDensity ? 'density' : crowding > crowdedForBursts ? 'bursts' : 'events';
}

/** Gathers one frame. MUTABLE. */
class FrameBuilder {
  readonly #history: HistoryLanes;
  readonly #scale: TimeScale;
  readonly #quiet: DrawnMarks = { mark: [], x: [], y: [], kind: [] };
  readonly #loud: DrawnMarks = { mark: [], x: [], y: [], kind: [] };
  readonly #waits: WaitBar[] = [];
  readonly #bursts: Burst[] = [];
  readonly #bars: DensityBar[] = [];
  #slices: { readonly edges: Float64Array; readonly left: number } | undefined;
  /** The x of the previous mark in this lane, by kind. */
  readonly #lastX = new Float64Array(historyKinds.length);

  constructor(history: HistoryLanes, scale: TimeScale) {
    this.#history = history;
    this.#scale = scale;
  }

  draw({ marks: places, ats }: HistoryLane, y: number, level: HistoryLevel): void {
    const { kinds, tookMs } = this.#history.marks;
    const { toX, toAt, widthPx } = this.#scale;
    this.#lastX.fill(Number.NEGATIVE_INFINITY);
    const gathers = level === 'bursts';
    let burst: { x: number; end: number; count: number; mark: number; kind: number } | undefined;
    const endBurst = () => {
      if (burst === undefined) return;
      const { x, end, count, mark, kind } = burst;
      if (count === 1) this.#addMark(mark, x, y, kind);
      else this.#bursts.push({ x, width: end - x, y, count, mark });
    };
    for (let index = bisectLeft(ats, toAt(-touchPx)); index < places.length; index++) {
      const mark = places[index] ?? 0;
      const at = ats[index] ?? 0;
      const x = toX(at);
      const kind = kinds[mark] ?? 0;
      const took = tookMs[mark] ?? -1;
      if (took >= 0 && (kind === ack || kind === nack)) this.#addWait(x, at - took, y, kind);
      if (x > widthPx + touchPx) break;
      if (x < -touchPx) continue;
      if (isTrouble[kind] === true || !gathers) {
        this.#addMark(mark, x, y, kind);
      } else if (burst !== undefined && x - burst.end < touchPx && x - burst.x < longestBurstPx) {
        burst.end = x;
        burst.count += 1;
      } else {
        endBurst();
        burst = { x, end: x, count: 1, mark, kind };
      }
    }
    endBurst();
  }

  /** Compares times with the edges of slices, which are computed once for all lanes, so that no event is placed by itself. */
  count({ ats, troublesBefore }: HistoryLane, y: number): void {
    const { edges, left } = this.#bins();
    let first = bisectLeft(ats, edges[0] ?? 0);
    for (let bin = 0; bin + 1 < edges.length && first < ats.length; bin++) {
      const until = edges[bin + 1] ?? 0;
      let end = first;
      while (end < ats.length && (ats[end] ?? 0) < until) end += 1;
      const count = end - first;
      const troubles = (troublesBefore[end] ?? 0) - (troublesBefore[first] ?? 0);
      first = end;
      if (count > 0)
        this.#bars.push(densityBar({ x: left + bin * binPx, width: binPx - 1, y, count, troubles }));
    }
  }

  /** The edges of slices as times. Slices move with the events, so that panning does not make them flicker. */
  #bins(): { readonly edges: Float64Array; readonly left: number } {
    if (this.#slices !== undefined) return this.#slices;
    const { toX, toAt, widthPx } = this.#scale;
    const phase = ((toX(0) % binPx) + binPx) % binPx;
    const left = phase - binPx;
    const edges = Float64Array.from({ length: Math.ceil(widthPx / binPx) + 3 }, (_, bin) =>
      toAt(left + bin * binPx),
    );
    this.#slices = { edges, left };
    return this.#slices;
  }

  finish(level: HistoryLevel): HistoryFrame {
    const quiet = this.#quiet,
      loud = this.#loud,
      waits = this.#waits,
      bursts = this.#bursts,
      bars = this.#bars;
    const marks = {
      mark: [...quiet.mark, ...loud.mark],
      x: [...quiet.x, ...loud.x],
      y: [...quiet.y, ...loud.y],
      kind: [...quiet.kind, ...loud.kind],
    };
    return { level, marks, waits, bursts, bars };
  }

  #addMark(mark: number, x: number, y: number, kind: number): void {
    if (x - (this.#lastX[kind] ?? 0) < samePx) return;
    this.#lastX[kind] = x;
    const drawn = isTrouble[kind] === true ? this.#loud : this.#quiet;
    drawn.mark.push(mark);
    drawn.x.push(x);
    drawn.y.push(y + (shiftPx[kind] ?? 0));
    drawn.kind.push(kind);
  }

  #addWait(end: number, from: number, y: number, kind: number): void {
    const x = this.#scale.toX(from);
    if (end - x < leastWaitPx || end < 0 || x > this.#scale.widthPx) return;
    const left = Math.max(-touchPx, x);
    this.#waits.push({
      x: left,
      width: Math.min(end, this.#scale.widthPx + touchPx) - left,
      y,
      isRejected: kind === nack,
    });
  }
}

interface DrawnMarks {
  readonly mark: number[];
  readonly x: number[];
  readonly y: number[];
  readonly kind: number[];
}

const fullBarPx = laneHeightPx - 4;
/** Events in one slice that fill the lane. */
const fullBarCount = 1_000;

const barHeights = Float64Array.from({ length: fullBarCount + 1 }, (_, count) =>
  Math.max(2, (fullBarPx * Math.log1p(count)) / Math.log1p(fullBarCount)),
);

/** Builds a bar whose height is the logarithm of the count, at the same scale everywhere. `y` is the lane's middle. */
export function densityBar({ x, width, y, count, troubles }: CountedSlice): DensityBar {
  const heightPx = barHeights[Math.min(count, fullBarCount)] ?? 0;
  const troublePx = troubles === 0 ? 0 : Math.max(2, heightPx * (troubles / count));
  return { x, width, y: y + laneHeightPx / 2 - 2, heightPx, troublePx, count, troubles };
}

type CountedSlice = Pick<DensityBar, 'x' | 'width' | 'y' | 'count' | 'troubles'>;

export const levelTexts: Readonly<Record<HistoryLevel, string>> = {
  density: 'bars count events (logarithmic, full at 1,000); a triangle marks trouble among them',
  bursts: 'pills show the number of overlapping events',
  events: 'a bar before an ACK or NACK is the time since its response',
};
