import { bisectLeft } from 'd3';
import { type HistoryKind, historyKinds } from '../../api/history-kinds';
import type { HistoryLane, HistoryLanes } from './build-lanes';
import type { TimeScale } from './collapsed-axis';
import { isTroubleKind } from './event-shape';
import { laneHeightPx, type PlacedLanes } from './place-lanes';

/**
 * How near one looks: `density` counts (a day), `bursts` draws what touches as one (an hour), `events` draws each
 * (seconds). Crowded windows are counted, whatever their length.
 */
export type HistoryLevel = 'density' | 'bursts' | 'events';

/** What the drawing needs at one place of window and scroll. CSS pixels from the window's left and the rows' top. */
export interface HistoryFrame {
  readonly level: HistoryLevel;
  /** In the order of drawing, column by column: what is trouble comes last, so that nothing hides it. */
  readonly marks: {
    /** Places in the marks. */
    readonly mark: readonly number[];
    readonly x: readonly number[];
    readonly y: readonly number[];
    /** Indexes of historyKinds. */
    readonly kind: readonly number[];
  };
  /** From the response to the ACK or NACK. */
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

/** Events that touch each other: a pill as long as they are. */
export interface Burst {
  readonly x: number;
  readonly width: number;
  readonly y: number;
  readonly count: number;
  /** Its first event's place in the marks. */
  readonly mark: number;
}

export interface DensityBar {
  readonly x: number;
  readonly width: number;
  /** Its foot. */
  readonly y: number;
  readonly heightPx: number;
  /** Of it, from the foot: events that are trouble. 0: none is. */
  readonly troublePx: number;
  readonly count: number;
  readonly troubles: number;
}

export interface FrameOptions {
  readonly scale: TimeScale;
  /** What of the rows is in sight. */
  readonly top: number;
  readonly bottom: number;
}

/** Marks that are nearer than this touch each other. */
const touchPx = 10;
/** A longer burst is reported as several. */
const longestBurstPx = 80;
/** A slice of the window that is counted. */
const binPx = 5;
/** Two of one kind nearer than this look like one. */
const samePx = 1.5;
/** How many marks there are for the room of one, on average, before they are gathered, and before they are counted. */
const crowdedForBursts = 0.3;
const crowdedForDensity = 3;
/** With a second so wide, each event is drawn. */
const nearPxPerMs = 0.03;
const leastWaitPx = 1;

const fromClient: ReadonlySet<HistoryKind> = new Set(['request-sent', 'ack-sent', 'nack-sent']);
const isTrouble = historyKinds.map(isTroubleKind);
/** What the server sends lies above the lane's line, what the client sends below: an ACK does not hide its response. */
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
  const frame = new FrameDraft(history, options.scale);
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

/** MUTABLE: gathers one frame. */
class FrameDraft {
  private readonly quiet: DrawnMarks = { mark: [], x: [], y: [], kind: [] };
  private readonly loud: DrawnMarks = { mark: [], x: [], y: [], kind: [] };
  private readonly waits: WaitBar[] = [];
  private readonly bursts: Burst[] = [];
  private readonly bars: DensityBar[] = [];
  private slices: { readonly edges: Float64Array; readonly left: number } | undefined;
  /** By kind: where the one before was drawn in this lane. */
  private readonly lastX = new Float64Array(historyKinds.length);

  constructor(
    private readonly history: HistoryLanes,
    private readonly scale: TimeScale,
  ) {}

  draw({ marks: places, ats }: HistoryLane, y: number, level: HistoryLevel): void {
    const { kinds, tookMs } = this.history.marks;
    const { toX, toAt, widthPx } = this.scale;
    this.lastX.fill(Number.NEGATIVE_INFINITY);
    const gathers = level === 'bursts';
    let burst: { x: number; end: number; count: number; mark: number; kind: number } | undefined;
    const endBurst = () => {
      if (burst === undefined) return;
      const { x, end, count, mark, kind } = burst;
      if (count === 1) this.addMark(mark, x, y, kind);
      else this.bursts.push({ x, width: end - x, y, count, mark });
    };
    for (let index = bisectLeft(ats, toAt(-touchPx)); index < places.length; index++) {
      const mark = places[index] ?? 0;
      const at = ats[index] ?? 0;
      const x = toX(at);
      const kind = kinds[mark] ?? 0;
      const took = tookMs[mark] ?? -1;
      if (took >= 0 && (kind === ack || kind === nack)) this.addWait(x, at - took, y, kind);
      if (x > widthPx + touchPx) break;
      if (x < -touchPx) continue;
      if (isTrouble[kind] === true || !gathers) {
        this.addMark(mark, x, y, kind);
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

  /** Times are compared with where slices end, which is found once for all lanes: no event is placed by itself. */
  count({ ats, troublesBefore }: HistoryLane, y: number): void {
    const { edges, left } = this.bins();
    let first = bisectLeft(ats, edges[0] ?? 0);
    for (let bin = 0; bin + 1 < edges.length && first < ats.length; bin++) {
      const until = edges[bin + 1] ?? 0;
      let end = first;
      while (end < ats.length && (ats[end] ?? 0) < until) end += 1;
      const count = end - first;
      const troubles = (troublesBefore[end] ?? 0) - (troublesBefore[first] ?? 0);
      first = end;
      if (count > 0)
        this.bars.push(densityBar({ x: left + bin * binPx, width: binPx - 1, y, count, troubles }));
    }
  }

  /** Slices of the window, as moments; made once in a frame. They move with the events, so that panning does not make them flicker. */
  private bins(): { readonly edges: Float64Array; readonly left: number } {
    if (this.slices !== undefined) return this.slices;
    const { toX, toAt, widthPx } = this.scale;
    const phase = ((toX(0) % binPx) + binPx) % binPx;
    const left = phase - binPx;
    const edges = Float64Array.from({ length: Math.ceil(widthPx / binPx) + 3 }, (_, bin) =>
      toAt(left + bin * binPx),
    );
    this.slices = { edges, left };
    return this.slices;
  }

  finish(level: HistoryLevel): HistoryFrame {
    const { quiet, loud, waits, bursts, bars } = this;
    const marks = {
      mark: [...quiet.mark, ...loud.mark],
      x: [...quiet.x, ...loud.x],
      y: [...quiet.y, ...loud.y],
      kind: [...quiet.kind, ...loud.kind],
    };
    return { level, marks, waits, bursts, bars };
  }

  private addMark(mark: number, x: number, y: number, kind: number): void {
    if (x - (this.lastX[kind] ?? 0) < samePx) return;
    this.lastX[kind] = x;
    const drawn = isTrouble[kind] === true ? this.loud : this.quiet;
    drawn.mark.push(mark);
    drawn.x.push(x);
    drawn.y.push(y + (shiftPx[kind] ?? 0));
    drawn.kind.push(kind);
  }

  private addWait(end: number, from: number, y: number, kind: number): void {
    const x = this.scale.toX(from);
    if (end - x < leastWaitPx || end < 0 || x > this.scale.widthPx) return;
    const left = Math.max(-touchPx, x);
    this.waits.push({
      x: left,
      width: Math.min(end, this.scale.widthPx + touchPx) - left,
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
/** So many events in one slice fill the lane. */
const fullBarCount = 1_000;

/** By count. */
const barHeights = Float64Array.from({ length: fullBarCount + 1 }, (_, count) =>
  Math.max(2, (fullBarPx * Math.log1p(count)) / Math.log1p(fullBarCount)),
);

/** A bar whose height reports the count on a logarithmic scale that is the same at every place. `y`: of the lane. */
export function densityBar({ x, width, y, count, troubles }: CountedSlice): DensityBar {
  const heightPx = barHeights[Math.min(count, fullBarCount)] ?? 0;
  const troublePx = troubles === 0 ? 0 : Math.max(2, heightPx * (troubles / count));
  return { x, width, y: y + laneHeightPx / 2 - 2, heightPx, troublePx, count, troubles };
}

type CountedSlice = Pick<DensityBar, 'x' | 'width' | 'y' | 'count' | 'troubles'>;

/** What a zoom draws, in words. */
export const levelTexts: Readonly<Record<HistoryLevel, string>> = {
  density: 'bars count events (logarithmic, full at 1 000); a triangle marks trouble among them',
  bursts: 'a number in a pill: so many events that touch each other',
  events: 'each event is drawn; a bar before an ACK or NACK is the time since its response',
};
