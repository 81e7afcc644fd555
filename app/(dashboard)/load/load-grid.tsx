'use client';

import { type PointerEvent, useMemo, useRef, useState } from 'react';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import type { LoadSeriesAnswer } from '@/lib/api/load';
import { formatCount } from '@/lib/format/count';
import { formatAxisTime } from '@/lib/view-model/history/layout-axis';
import { formatLoadValue } from '@/lib/view-model/load/format-load-value';
import { type LoadGridLayout, type LoadPlot, layoutLoadGrid } from '@/lib/view-model/load/layout-load-grid';
import { type LoadGroupingChoice, loadMeasureTexts } from '@/lib/view-model/load/load-choices';
import { NotReported } from '../../_components/bytes-text';
import { NameText } from '../../_components/name-text';
import { HistoryAxis } from '../../_drawings/history/history-axis';
import { useElementSize } from '../../_drawings/history/use-element-size';
import { LoadPlotDrawing } from '../../_drawings/load/load-plot-drawing';
import { useIsNarrow } from '../../_hooks/use-is-narrow';

interface LoadGridProps {
  readonly answer: LoadSeriesAnswer;
  readonly choice: LoadGroupingChoice;
}

const plotHeightPx = 44;
const namePx = 176;
const gapPx = 16;

/** Small multiples: each curve with its newest value, or the value of the step under the pointer. */
export function LoadGrid({ answer, choice }: LoadGridProps) {
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
  const pointed = step === null ? null : layout.steps[step];
  const timeOf = (at: number) => formatAxisTime(at, answer.stepMs, timeZone);
  const onMove = (event: PointerEvent<HTMLElement>) => {
    const plot = (event.target as Element).closest('[data-plot]');
    setStep(plot === null ? null : stepAt(layout, event.clientX - plot.getBoundingClientRect().left));
  };
  const block = isNarrow ? 'block' : '';
  return (
    <div ref={box} className="min-h-40" onPointerMove={onMove} onPointerLeave={() => setStep(null)}>
      {widthPx > 0 && (
        <table aria-label={`${head} over time`} className={`border-collapse text-left ${block}`}>
          <thead className={`text-small text-muted ${isNarrow ? 'sr-only' : ''}`}>
            <tr>
              <th scope="col" className="font-normal" style={{ width: namePx }}>
                {pointed ? <span className="tabular-nums">{timeOf(pointed.at)}</span> : head}
              </th>
              {layout.columns.map(({ measure, top }) => (
                <th
                  key={measure}
                  scope="col"
                  title={loadMeasureTexts[measure].text}
                  className="pl-4 font-normal"
                >
                  {loadMeasureTexts[measure].label}
                  {top === null ? ', each row on its own scale' : `, up to ${top}`}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className={block}>
            {layout.rows.map(({ id, name, plots }) => (
              <tr key={id} className={`border-t border-line align-top ${block}`}>
                <th scope="row" className={`min-w-0 pt-2 font-normal ${block}`}>
                  <NameText name={name} maxChars={isNarrow ? 40 : 24} />
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
          <tfoot aria-hidden="true" className={block}>
            <tr className={block}>
              {!isNarrow && <td />}
              {(isNarrow ? layout.columns.slice(0, 1) : layout.columns).map(({ measure }) => (
                <td key={measure} className={isNarrow ? 'block' : 'pl-4'}>
                  <HistoryAxis layout={layout.axis} widthPx={layout.plot.widthPx} timeZone={timeZone} />
                </td>
              ))}
            </tr>
          </tfoot>
        </table>
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
  if (line === null || line === undefined) return null;
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
