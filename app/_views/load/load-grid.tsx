'use client';

import type { PointerEvent, ReactNode } from 'react';
import { useMemo, useRef, useState } from 'react';
import { NotReported } from '@/app/_components/bytes-text';
import { Icon } from '@/app/_components/icon';
import { NameText } from '@/app/_components/name-text';
import { HistoryAxis } from '@/app/_drawings/history/history-axis';
import { useElementSize } from '@/app/_drawings/history/use-element-size';
import { LoadPlotDrawing } from '@/app/_drawings/load/load-plot-drawing';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatCount } from '@/lib/format/count';
import { formatDuration } from '@/lib/format/duration';
import type { LoadMeasure, LoadSort } from '@/lib/load/load-question';
import { formatAxisTime } from '@/lib/views/history/layout-axis';
import { formatLoadValue } from '@/lib/views/load/format-load-value';
import type { LoadGridColumn, LoadGridLayout, LoadPlot } from '@/lib/views/load/layout-load-grid';
import { layoutLoadGrid } from '@/lib/views/load/layout-load-grid';
import type { LoadGroupingChoice } from '@/lib/views/load/load-choices';
import { isTroubleMeasure, loadMeasureTexts } from '@/lib/views/load/load-choices';
import type { LoadSeriesAnswer } from '@/lib/views/load/schema';

interface LoadGridProps {
  readonly answer: LoadSeriesAnswer;
  readonly choice: LoadGroupingChoice;
  /** The order of the rows. */
  readonly sort: LoadSort;
  readonly onSort: (sort: LoadSort) => void;
}

const plotHeightPx = 44;
const namePx = 176;
const gapPx = 16;

/**
 * Small multiples: each curve with its newest value, or the value of the step under the pointer, which is marked in all of
 * them.
 */
export function LoadGrid({ answer, choice, sort, onSort }: LoadGridProps) {
  const timeZone = useTimeZone();
  const box = useRef<HTMLDivElement>(null);
  const { widthPx } = useElementSize(box);
  const isNarrow = useIsNarrow();
  const [step, setStep] = useState<number | null>(null);
  const { measures, head } = choice;
  const perRow = isNarrow ? 1 : measures.length;
  const roomPx = isNarrow ? widthPx : widthPx - namePx;
  const plotPx = Math.max(40, Math.floor(roomPx / perRow) - (isNarrow ? 0 : gapPx));
  const layout = useMemo(
    () => layoutLoadGrid(answer, measures, { widthPx: plotPx, heightPx: plotHeightPx }),
    [answer, measures, plotPx],
  );
  const pointed = (step === null ? undefined : layout.steps[step]) ?? null;
  const onMove = (event: PointerEvent<HTMLElement>) => {
    const plot = (event.target as Element).closest('[data-plot]');
    setStep(plot === null ? null : stepAt(layout, event.clientX - plot.getBoundingClientRect().left));
  };
  const block = isNarrow ? 'block' : '';
  return (
    <div ref={box} className="min-h-40" onPointerMove={onMove} onPointerLeave={() => setStep(null)}>
      {widthPx > 0 && (
        <table aria-label={`${head} over time`} className={`border-collapse text-left ${block}`}>
          <thead className={`sticky top-0 z-10 bg-raised text-small text-muted ${block}`}>
            <tr className={isNarrow ? 'flex flex-wrap gap-x-3' : 'align-bottom'}>
              <th
                scope="col"
                className={`font-normal ${isNarrow ? 'sr-only' : ''}`}
                style={{ width: namePx }}
              >
                {head}
              </th>
              {layout.columns.map((column) => (
                <LoadGridHead
                  key={column.measure}
                  column={column}
                  isSorted={loadMeasureTexts[column.measure].sort === sort}
                  onSort={onSort}
                  className={isNarrow ? '' : 'pl-4'}
                />
              ))}
            </tr>
            <tr className={block}>
              {!isNarrow && <td />}
              {(isNarrow ? layout.columns.slice(0, 1) : layout.columns).map(({ measure }) => (
                <td key={measure} className={`pt-1 ${isNarrow ? 'block' : 'pl-4'}`}>
                  <GridAxis layout={layout} pointed={pointed} timeZone={timeZone} stepMs={answer.stepMs} />
                </td>
              ))}
            </tr>
          </thead>
          <tbody className={block}>
            {layout.rows.map(({ id, name, plots }) => (
              <tr key={id} className={`border-t border-line align-top ${block}`}>
                <th scope="row" className={`min-w-0 pt-2 font-normal ${block}`}>
                  <NameText name={name} />
                  <Totals answer={answer} id={id} />
                </th>
                {plots.map((plot) => (
                  <td key={plot.measure} className={`pt-1 ${isNarrow ? 'block' : 'pl-4'}`}>
                    <Plot
                      plot={plot}
                      name={name}
                      size={layout.plot}
                      step={step}
                      pointerX={pointed?.x ?? null}
                      isNamed={isNarrow}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <LoadLegend measures={measures} stepMs={answer.stepMs} />
    </div>
  );
}

interface GridAxisProps {
  readonly layout: LoadGridLayout;
  /** The step under the pointer. */
  readonly pointed: LoadGridLayout['steps'][number] | null;
  readonly timeZone: string;
  readonly stepMs: number;
}

/** The time axis of a column, with the time under the pointer. */
function GridAxis({ layout, pointed, timeZone, stepMs }: GridAxisProps) {
  const { widthPx } = layout.plot;
  return (
    <div className="relative">
      <HistoryAxis layout={layout.axis} widthPx={widthPx} timeZone={timeZone} heightPx={18} />
      {pointed !== null && (
        <span
          aria-hidden="true"
          data-readout=""
          className={`absolute bottom-0 rounded bg-text px-1 text-tiny whitespace-nowrap text-surface tabular-nums ${pointed.x > widthPx / 2 ? '-translate-x-full' : ''}`}
          style={{ left: pointed.x }}
        >
          {formatAxisTime(pointed.at, stepMs, timeZone)} to{' '}
          {formatAxisTime(pointed.at + stepMs, stepMs, timeZone)}
        </span>
      )}
    </div>
  );
}

interface PlotProps {
  readonly plot: LoadPlot;
  readonly name: string;
  readonly size: LoadGridLayout['plot'];
  /** The step under the pointer; null: the newest one. */
  readonly step: number | null;
  readonly pointerX: number | null;
  /** True without a column header. */
  readonly isNamed: boolean;
}

function Plot({ plot, name, size, step, pointerX, isNamed }: PlotProps) {
  const { measure, newest, values } = plot;
  const value = step === null ? newest : (values[step] ?? null);
  const text = value === null ? 'not reported' : formatLoadValue(measure, value);
  const { label } = loadMeasureTexts[measure];
  return (
    <>
      <div className="flex justify-between gap-2 text-small tabular-nums">
        {isNamed && <span className="text-muted">{label}</span>}
        {value === null ? <NotReported /> : <span data-value={measure}>{text}</span>}
        {plot.top !== null && <span className="text-muted">up to {plot.top}</span>}
      </div>
      <div data-plot="" className="touch-pan-y">
        <LoadPlotDrawing plot={plot} size={size} label={`${label} of ${name}: ${text}`} pointerX={pointerX} />
      </div>
    </>
  );
}

function stepAt({ steps, plot }: LoadGridLayout, x: number): number | null {
  if (x < 0 || x >= plot.widthPx || steps.length === 0) return null;
  return Math.min(steps.length - 1, Math.floor((x / plot.widthPx) * steps.length));
}

function Totals({ answer, id }: { readonly answer: LoadSeriesAnswer; readonly id: string }) {
  const line = answer.groups.find(({ key }) => JSON.stringify(key) === id) ?? answer.others;
  if (line === undefined || line === undefined) return null;
  const { successful, errors, dropped, metricCount } = line.totals;
  const texts = [
    ...(successful === '0' && errors === '0' && (dropped !== '0' || metricCount !== '0')
      ? []
      : [`${formatCount(successful)} ok`, `${formatCount(errors)} failed`]),
    ...(dropped === '0' ? [] : [`${formatCount(dropped)} dropped`]),
    ...(metricCount === '0' ? [] : [`${formatCount(metricCount)} values`]),
  ];
  return (
    <p className="note tabular-nums" data-totals={id}>
      {texts.join(', ')}
    </p>
  );
}

interface LoadGridHeadProps {
  readonly column: LoadGridColumn;
  readonly isSorted: boolean;
  readonly onSort: (sort: LoadSort) => void;
  readonly className: string;
}

/** The heading of a measure: its unit, its scale, and the order of the rows. */
function LoadGridHead({ column: { measure, top }, isSorted, onSort, className }: LoadGridHeadProps) {
  const { label, unit, text, sort } = loadMeasureTexts[measure];
  return (
    <th scope="col" aria-sort={isSorted ? 'descending' : undefined} className={`font-normal ${className}`}>
      <button
        type="button"
        title={`${text}. Press to show the rows with the most first.`}
        onClick={() => onSort(sort)}
        className={`inline-flex min-h-7 items-center gap-1 font-medium hover:text-text ${isSorted ? 'text-text' : ''}`}
      >
        {label}
        {isSorted && <Icon name="chevron-down" sizePx={12} />}
      </button>
      <span className="ml-2 max-md:hidden">
        {unit}
        {top === null ? ', each row on its own scale' : `, 0 to ${top}`}
      </span>
    </th>
  );
}

interface LoadLegendProps {
  readonly measures: readonly LoadMeasure[];
  readonly stepMs: number;
}

function LoadLegend({ measures, stepMs }: LoadLegendProps) {
  const hasTrouble = measures.some(isTroubleMeasure);
  const hasOther = !measures.every(isTroubleMeasure);
  return (
    <ul aria-label="Legend" className="flex flex-wrap gap-x-4 gap-y-1 pt-2 note">
      {hasOther && <Item color="var(--accent)">value in each {formatDuration(stepMs)}</Item>}
      {hasTrouble && <Item color="var(--status-nacked)">errors and drops</Item>}
      <li className="inline-flex items-center gap-1.5">
        <svg width={20} height={10} aria-hidden="true">
          <path d="M0 5H6M14 5H20" stroke="var(--text-muted)" strokeWidth={1.5} />
        </svg>
        gap: no report
      </li>
      <li className="inline-flex items-center gap-1.5">
        <svg width={8} height={10} aria-hidden="true">
          <circle cx={4} cy={5} r={2} fill="var(--text-muted)" />
        </svg>
        single value between gaps
      </li>
    </ul>
  );
}

function Item({ color, children }: { readonly color: string; readonly children: ReactNode }) {
  return (
    <li className="inline-flex items-center gap-1.5">
      <svg width={20} height={10} aria-hidden="true">
        <rect y={5} width={20} height={5} fill={color} fillOpacity={0.14} />
        <path d="M0 5H20" stroke={color} strokeWidth={1.5} />
      </svg>
      {children}
    </li>
  );
}
