'use client';

import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { loadOnInput } from '@/app/_components/load-on-input';
import type { CollapsedAxis, TimeScale, TimeWindow } from '@/lib/views/history/collapsed-axis';
import { layoutOverview, overviewBinPx } from '@/lib/views/history/layout-overview';
import type { HistoryTimeline } from '@/lib/views/history/schema';
import type { OverviewBrush } from './attach-overview-brush';

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
/** The default of d3-brush. */
const handlePx = 6;

export function HistoryOverview(props: HistoryOverviewProps) {
  const { timeline, axis, widthPx, window } = props;
  const group = useRef<SVGGElement>(null);
  const latest = useRef(props);
  useLayoutEffect(() => {
    latest.current = props;
  });
  const scale = useMemo(() => axis.over(axis.extent, widthPx), [axis, widthPx]);
  /** null until the first input. */
  const [brush, setBrush] = useState<OverviewBrush | null>(null);
  useEffect(() => {
    let isOver = false;
    loadOnInput(async () => {
      const { attachOverviewBrush } = await import('./attach-overview-brush');
      if (isOver || group.current === null) return;
      const attached = attachOverviewBrush(group.current, {
        ...{ widthPx, heightPx },
        onMove: (ends) =>
          latest.current.onWindow(ends && { from: scale.toAt(ends[0]), to: scale.toAt(ends[1]) }),
        onEnd: () => latest.current.onEnd(),
      });
      setBrush(attached);
    });
    return () => {
      isOver = true;
    };
  }, [widthPx, scale]);
  const [left, right] = [scale.toX(window.from), scale.toX(window.to)];
  useLayoutEffect(() => {
    brush?.move(left, right);
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
        <g className="[&_.handle]:fill-accent/50 [&_.selection]:fill-accent/15 [&_.selection]:stroke-accent">
          {brush === null && <StillBrush left={left} right={right} />}
          <g ref={group} />
        </g>
      </svg>
    </div>
  );
}

/** As d3-brush draws it. */
function StillBrush({ left, right }: { readonly left: number; readonly right: number }) {
  return (
    <>
      <rect
        x={left}
        width={Math.max(0, right - left)}
        height={heightPx}
        fillOpacity={0.3}
        shapeRendering="crispEdges"
        className="selection"
      />
      {[left, right].map((x, index) => (
        <rect
          key={index === 0 ? 'left' : 'right'}
          x={x - handlePx / 2}
          y={-handlePx / 2}
          width={handlePx}
          height={heightPx + handlePx}
          className="handle"
        />
      ))}
    </>
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
