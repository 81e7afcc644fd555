import { area, line, max, min } from 'd3';
import type { LoadMeasure } from '../../load/load-question';
import type { EpochMs } from '../../xds/units';
import { linearScale } from '../drawing/axis-scale';
import { CollapsedAxis, type TimeScale } from '../history/collapsed-axis';
import { type AxisLayout, layoutAxis } from '../history/layout-axis';
import { formatLoadValue } from './format-load-value';
import type { LoadSeriesAnswer } from './schema';

/**
 * Small multiples: a row for each line of load, and a column for each measure. The rows of a column share a scale, except for
 * metrics, whose units differ. All columns share the time axis, which is that of History, and begins with the first value.
 */
export interface LoadGridLayout {
  /** The size of each plot, in CSS pixels. */
  readonly plot: { readonly widthPx: number; readonly heightPx: number };
  readonly scale: TimeScale;
  readonly axis: AxisLayout;
  readonly columns: readonly LoadGridColumn[];
  readonly rows: readonly LoadGridRow[];
  /** The steps, with the x of their middles. */
  readonly steps: readonly { readonly at: EpochMs; readonly x: number }[];
}

export interface LoadGridColumn {
  readonly measure: LoadMeasure;
  /** The end of the shared scale; null if each row has its own. */
  readonly top: string | null;
}

interface LoadGridRow {
  readonly id: string;
  readonly name: string;
  readonly plots: readonly LoadPlot[];
}

export interface LoadPlot {
  readonly measure: LoadMeasure;
  /** The end of the row's own scale; null if the scale is shared. */
  readonly top: string | null;
  readonly areaPath: string;
  readonly linePath: string;
  /** Steps without adjacent values, which no line connects. */
  readonly dots: readonly { readonly x: number; readonly y: number }[];
  /** The values by step; null if nothing is reported. */
  readonly values: readonly (number | null)[];
  /** The newest value; null if there is none. */
  readonly newest: number | null;
}

type LoadLine = LoadSeriesAnswer['groups'][number];

/** The margin above and below the curve. */
const marginPx = 3;

export function layoutLoadGrid(
  answer: Pick<LoadSeriesAnswer, 'from' | 'to' | 'stepMs' | 'groups' | 'others'>,
  measures: readonly LoadMeasure[],
  plot: { readonly widthPx: number; readonly heightPx: number },
): LoadGridLayout {
  const { stepMs } = answer;
  const lines = [...answer.groups, ...(answer.others === undefined ? [] : [answer.others])];
  const skipped = firstStep(lines);
  const window = { from: answer.from + skipped * stepMs, to: answer.to };
  const time = new CollapsedAxis(window, [], 0);
  const scale = time.over(window, plot.widthPx);
  const count = Math.ceil((window.to - window.from) / stepMs);
  const steps = Array.from({ length: count }, (_, step) => {
    const at = window.from + step * stepMs;
    return { at, x: scale.toX(at + stepMs / 2) };
  });
  const tops = measures.map((measure) => (measure === 'metric' ? null : topOf(lines, measure)));
  const textOf = (measure: LoadMeasure, top: number | null): string | null =>
    top === null ? null : formatLoadValue(measure, top);
  return {
    ...{ plot, scale, steps },
    axis: layoutAxis(time, scale),
    columns: measures.map((measure, index) => ({ measure, top: textOf(measure, tops[index] ?? null) })),
    rows: lines.map((row) => ({
      ...{ id: JSON.stringify(row.key), name: row.name },
      plots: measures.map((measure, index) => {
        const shared = tops[index] ?? null;
        const own = shared === null ? topOf([row], measure) : null;
        return {
          ...layoutPlot(
            measure,
            (row.values[measure] ?? []).slice(skipped),
            shared ?? own ?? 0,
            steps,
            plot.heightPx,
          ),
          top: textOf(measure, own),
        };
      }),
    })),
  };
}

/** The first step with a value. Without values all steps count. */
function firstStep(lines: readonly LoadLine[]): number {
  const firsts = lines.flatMap(({ values }) =>
    Object.values(values).map((steps) => steps.findIndex((value) => value !== null)),
  );
  return min(firsts, (step) => (step < 0 ? undefined : step)) ?? 0;
}

function layoutPlot(
  measure: LoadMeasure,
  values: readonly (number | null)[],
  top: number,
  steps: LoadGridLayout['steps'],
  heightPx: number,
): Omit<LoadPlot, 'top'> {
  const y = linearScale([0, top === 0 ? 1 : top], [heightPx - marginPx, marginPx]);
  const points = steps.map(({ x }, step) => ({ x, value: values[step] ?? null }));
  const isReported = ({ value }: { readonly value: number | null }): boolean => value !== null;
  const yOf = ({ value }: { readonly value: number | null }): number => round(y(value ?? 0));
  const xOf = ({ x }: { readonly x: number }): number => round(x);
  type Point = (typeof points)[number];
  const isAlone = (_: Point, step: number): boolean =>
    (points[step - 1]?.value ?? null) === null && (points[step + 1]?.value ?? null) === null;
  return {
    measure,
    areaPath:
      area<Point>()
        .defined(isReported)
        .x(xOf)
        .y0(heightPx - marginPx)
        .y1(yOf)(points) ?? '',
    linePath: line<Point>().defined(isReported).x(xOf).y(yOf)(points) ?? '',
    dots: points
      .filter((point, step) => isReported(point) && isAlone(point, step))
      .map((point) => ({ x: xOf(point), y: yOf(point) })),
    values: points.map(({ value }) => value),
    newest: values.findLast((value) => value !== null) ?? null,
  };
}

/** Returns the end of a scale, which for ratios is at least 1%. */
function topOf(lines: readonly LoadLine[], measure: LoadMeasure): number {
  const most = max(lines, ({ values }) => max(values[measure] ?? [], (value) => value ?? 0)) ?? 0;
  return measure === 'error-ratio' ? Math.max(most, 0.01) : most;
}

function round(px: number): number {
  return Math.round(px * 10) / 10;
}
