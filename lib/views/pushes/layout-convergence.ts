import { curveStepAfter, line } from 'd3';
import { formatDuration } from '../../format/duration';
import { formatShare } from '../../format/share';
import { linearScale } from '../drawing/axis-scale';
import { leastMs, pushTimeScale } from './push-time-scale';
import type { SpreadReported } from './schema';

/** CSS pixels from the drawing's top left. */
export interface ConvergenceLayout {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly plot: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /** The end of the time axis. */
  readonly toMs: number;
  /** The path of clients that have certainly accepted; empty if none has. */
  readonly surePath: string;
  /** The path of clients that may have accepted; empty if it is the same. */
  readonly possiblePath: string;
  readonly xTicks: readonly { readonly x: number; readonly label: string }[];
  readonly yTicks: readonly { readonly y: number; readonly label: string }[];
  readonly percentiles: readonly PercentileMark[];
  /** The end of the line, with its share. */
  readonly end: { readonly x: number; readonly y: number; readonly label: string } | null;
}

interface PercentileMark {
  readonly label: string;
  readonly x: number;
  readonly y: number;
  /** The width of the range that polls leave; 0 for exact times. */
  readonly uncertainPx: number;
}

const margin = { left: 46, right: 18, top: 22, bottom: 34 };
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const tickTimes = [
  1,
  10,
  100,
  second,
  10 * second,
  minute,
  10 * minute,
  hour,
  10 * hour,
  100 * hour,
  1_000 * hour,
];

/** Lays out the share of clients over the time to accept, on a logarithmic axis. */
export function layoutConvergence(
  spread: SpreadReported,
  { widthPx, heightPx }: { readonly widthPx: number; readonly heightPx: number },
): ConvergenceLayout {
  const width = Math.max(1, widthPx - margin.left - margin.right);
  const height = Math.max(1, heightPx - margin.top - margin.bottom);
  const plot = { x: margin.left, y: margin.top, width, height };
  const lastMs = spread.sure.at(-1)?.afterMs ?? 0;
  const toMs = Math.max(100, lastMs * 1.3);
  const x = pushTimeScale(plot, toMs);
  const y = linearScale([0, 1], [plot.y + height, plot.y]);
  // Rounded like d3 paths, since the last digits of logarithms differ between engines.
  const toX = (afterMs: number) => Math.round(x(Math.max(leastMs, afterMs)) * 1_000) / 1_000;
  const share = (clients: number) => (spread.total === 0 ? 0 : clients / spread.total);
  const step = line<readonly [number, number]>().curve(curveStepAfter);
  const pathOf = (steps: SpreadReported['sure']): string => {
    if (steps.length === 0) return '';
    const points = steps.map(({ afterMs, clients }) => [toX(afterMs), y(share(clients))] as const);
    const last = points.at(-1)?.[1] ?? y(0);
    return step([[plot.x, y(0)], ...points, [plot.x + width, last]]) ?? '';
  };
  const isUncertain = JSON.stringify(spread.sure) !== JSON.stringify(spread.possible);
  const ticks = tickTimes.filter((time) => time <= toMs);
  return {
    ...{ widthPx, heightPx, plot, toMs },
    surePath: pathOf(spread.sure),
    possiblePath: isUncertain ? pathOf(spread.possible) : '',
    xTicks: thin(ticks, width).map((time) => ({
      x: toX(time),
      label: time === 1 ? '≤ 1 ms' : formatDuration(time),
    })),
    yTicks: [0, 0.25, 0.5, 0.75, 1].map((part) => ({ y: y(part), label: `${part * 100}%` })),
    percentiles: joinLabels(
      spread.percentiles.flatMap(({ percent, ofAll }) => {
        if (ofAll === undefined) return [];
        const at = toX(ofAll.toMs);
        const uncertainPx = at - toX(ofAll.fromMs);
        return [{ label: `p${percent}`, x: at, y: y(percent / 100), uncertainPx }];
      }),
    ),
    end:
      spread.total === 0
        ? null
        : {
            x: plot.x + width,
            y: y(share(spread.accepted)),
            label: formatShare(share(spread.accepted)),
          },
  };
}

/** Joins the labels of percentiles that would overlap, at the upper one. */
function joinLabels(percentiles: readonly PercentileMark[]): PercentileMark[] {
  const joined: PercentileMark[] = [];
  for (const each of percentiles) {
    const before = joined.at(-1);
    const isNear =
      before !== undefined &&
      Math.abs(before.x - each.x) < nearPx.x &&
      Math.abs(before.y - each.y) < nearPx.y;
    if (!isNear) {
      joined.push(each);
      continue;
    }
    joined[joined.length - 1] = { ...before, label: '' };
    joined.push({ ...each, label: `${before.label}, ${each.label}` });
  }
  return joined;
}

const nearPx = { x: 26, y: 14 };
const labelPx = 62;

function thin(ticks: readonly number[], width: number): number[] {
  const every = Math.max(1, Math.ceil((ticks.length * labelPx) / width));
  return ticks.filter((_, index) => index % every === 0);
}
