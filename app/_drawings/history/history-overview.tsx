'use client';

import { brushX, type D3BrushEvent, select } from 'd3';
import { memo, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { HistoryTimeline } from '@/lib/api/history';
import type { CollapsedAxis, TimeScale, TimeWindow } from '@/lib/view-model/history/collapsed-axis';
import { layoutOverview, overviewBinPx } from '@/lib/view-model/history/layout-overview';

interface HistoryOverviewProps {
  readonly timeline: HistoryTimeline;
  readonly axis: CollapsedAxis;
  readonly widthPx: number;
  readonly window: TimeWindow;
  /** null: everything. */
  readonly onWindow: (window: TimeWindow | null) => void;
  readonly onEnd: () => void;
}

const heightPx = 34;

export function HistoryOverview(props: HistoryOverviewProps) {
  const { timeline, axis, widthPx, window } = props;
  const group = useRef<SVGGElement>(null);
  const latest = useRef(props);
  useLayoutEffect(() => {
    latest.current = props;
  });
  const scale = useMemo(() => axis.over(axis.extent, widthPx), [axis, widthPx]);
  const brush = useMemo(
    () =>
      brushX<unknown>()
        .extent([
          [0, 0],
          [widthPx, heightPx],
        ])
        .on('brush', ({ sourceEvent, selection }: D3BrushEvent<unknown>) => {
          if (sourceEvent === undefined || sourceEvent === null || selection === null) return;
          const [from = 0, to = 0] = selection.map(Number);
          if (to - from > 1) latest.current.onWindow({ from: scale.toAt(from), to: scale.toAt(to) });
        })
        .on('end', ({ sourceEvent, selection }: D3BrushEvent<unknown>) => {
          if (sourceEvent === undefined || sourceEvent === null) return;
          if (selection === null) latest.current.onWindow(null);
          latest.current.onEnd();
        }),
    [widthPx, scale],
  );
  useEffect(() => {
    if (group.current !== null) select<SVGGElement, unknown>(group.current).call(brush);
  }, [brush]);
  const [left, right] = [scale.toX(window.from), scale.toX(window.to)];
  useEffect(() => {
    if (group.current !== null) select<SVGGElement, unknown>(group.current).call(brush.move, [left, right]);
  }, [brush, left, right]);
  return (
    <div className="relative rounded bg-sunken" style={{ width: widthPx, height: heightPx }}>
      <OverviewBars timeline={timeline} axis={axis} scale={scale} />
      <svg
        width={widthPx}
        height={heightPx}
        aria-hidden="true"
        className="absolute inset-0 block will-change-transform"
      >
        <g
          ref={group}
          className="[&_.handle]:fill-accent/50 [&_.selection]:fill-accent/15 [&_.selection]:stroke-accent"
        />
      </svg>
    </div>
  );
}

interface OverviewBarsProps {
  readonly timeline: HistoryTimeline;
  readonly axis: CollapsedAxis;
  readonly scale: TimeScale;
}

/** Memoised, because only the brush above it changes on zoom and pan. */
const OverviewBars = memo(function OverviewBars({ timeline, axis, scale }: OverviewBarsProps) {
  const bars = useMemo(() => layoutOverview(timeline, scale), [timeline, scale]);
  return (
    <svg width={scale.widthPx} height={heightPx} aria-hidden="true" className="block rounded contain-strict">
      {scale.widthPx > 0 &&
        axis.breaks.map(({ from, to }) => (
          <path
            key={from}
            d={`M${scale.toX(from)} ${heightPx / 2}H${scale.toX(to)}`}
            strokeDasharray="2 4"
            className="stroke-line-strong"
          />
        ))}
      {bars.map(({ x, share, hasTrouble }) => (
        <rect
          key={x}
          x={x}
          y={heightPx - 2 - share * (heightPx - 8)}
          width={overviewBinPx - 1}
          height={Math.max(2, share * (heightPx - 8))}
          className={hasTrouble ? 'fill-nacked' : 'fill-muted/60'}
        />
      ))}
      {bars
        .filter(({ hasTrouble }) => hasTrouble)
        .map(({ x }) => (
          <path key={x} d={`M${x + 1} 0L${x + 4} 5H${x - 2}Z`} className="fill-nacked" />
        ))}
    </svg>
  );
});
