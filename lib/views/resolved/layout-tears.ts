import { linearScale, timeTicks } from '../drawing/axis-scale';
import type { Tears } from './tears-schema';

type Tear = Tears['items'][number];

export interface TearBar {
  /** The index in the answer's items. */
  readonly index: number;
  readonly x: number;
  readonly width: number;
  /** The row, from 0. Overlapping tears have different rows. */
  readonly row: number;
  /** The impact on each kind of client. */
  readonly preA74: Tear['preA74']['outcome'];
  readonly a74: Tear['a74']['outcome'];
}

interface TearsLayout {
  readonly width: number;
  readonly bars: readonly TearBar[];
  /** The number of rows, at least 1. */
  readonly rows: number;
  readonly ticks: readonly { readonly x: number; readonly at: number }[];
}

const leastWidthPx = 3;
const tickEveryPx = 140;
/** Further overlapping tears share the last row. */
const mostRows = 6;

/** Lays out config tears on a time axis, from the start of the log or the first tear to the end of the history. */
export function layoutTears({ items, beginsAt, to: endAt }: Tears, width: number): TearsLayout {
  const startAt = Math.min(endAt - 1, ...[beginsAt, items[0]?.fromAt].flatMap((at) => at ?? []));
  const times = [startAt, endAt] as const;
  const scale = linearScale(times, [0, width]);
  const rowEnds: number[] = [];
  const bars = items.map((tear, index): TearBar => {
    const x = scale(tear.fromAt);
    const end = scale(tear.toAt ?? endAt);
    const long = Math.max(leastWidthPx, end - x);
    // Tears at the end of the axis do not reach beyond it.
    const left = Math.min(x, width - long);
    return {
      index,
      x: left,
      row: takeRow(rowEnds, left, left + long),
      width: long,
      preA74: tear.preA74.outcome,
      a74: tear.a74.outcome,
    };
  });
  const ticks = timeTicks(times, Math.max(2, Math.floor(width / tickEveryPx))).map((at) => ({
    x: scale(at),
    at,
  }));
  return { width, bars, rows: Math.max(1, rowEnds.length), ticks };
}

/** Takes the first row that is free from `x` on. MUTATES the ends of the rows. */
function takeRow(rowEnds: number[], x: number, end: number): number {
  const free = rowEnds.findIndex((rowEnd) => rowEnd <= x);
  const row = free === -1 ? Math.min(rowEnds.length, mostRows - 1) : free;
  rowEnds[row] = Math.max(end, rowEnds[row] ?? 0);
  return row;
}
