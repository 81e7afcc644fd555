'use client';

import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { browserTimeZone } from '@/app/_components/browser-time-zone';
import { useElementSize } from '@/app/_drawings/history/use-element-size';
import { useMomentDrag } from '@/app/_drawings/history/use-moment-drag';
import type { HistoryTimeline } from '@/lib/api/history';
import { formatExactTime } from '@/lib/format/exact-time';
import { buildAxis } from '@/lib/view-model/history/build-axis';
import { firstMoment } from '@/lib/view-model/history/first-moment';
import { layoutOverview, overviewBinPx } from '@/lib/view-model/history/layout-overview';
import type { EpochMs } from '@/lib/xds/units';

interface ScrubberAxisProps {
  readonly timeline: HistoryTimeline;
  /** null: now. */
  readonly at: EpochMs | null;
  /** The moment that is compared with; null: none. */
  readonly since: EpochMs | null;
  /** A drag goes to many moments; all but the first take the place of the one before in the browser's history. */
  readonly onGo: (at: EpochMs | null, isFirst: boolean) => void;
  readonly onStep: (direction: 'older' | 'newer') => void;
}

const heightPx = 36;
/** So near the right edge is now. */
const nowPx = 4;

/** All that happened to the client in a strip, idle time taken out, and where one is: drag, click, or use the arrow keys. */
export function ScrubberAxis({ timeline: newest, at, since, onGo, onStep }: ScrubberAxisProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isDragged, setDragged] = useState(false);
  const timeline = useHeldTimeline(newest, isDragged, at);
  const { widthPx } = useElementSize(box);
  const axis = useMemo(() => buildAxis(timeline, widthPx), [timeline, widthPx]);
  const scale = useMemo(() => axis.over(axis.extent, widthPx), [axis, widthPx]);
  const bars = useMemo(() => layoutOverview(timeline, scale), [timeline, scale]);
  const firstAt = useMemo(() => firstMoment(timeline), [timeline]);
  const momentAt = (x: number): EpochMs | null =>
    x >= widthPx - nowPx ? null : Math.max(firstAt, Math.round(scale.toAt(x)));
  const { dragX, handlers } = useMomentDrag({ element: box, widthPx, momentAt, onGo, onDrag: setDragged });
  const x = dragX ?? (at === null ? widthPx : Math.min(widthPx, Math.max(0, scale.toX(at))));
  const shownAt = dragX === null ? at : momentAt(dragX);
  const words = shownAt === null ? 'now' : formatExactTime(shownAt, browserTimeZone());

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'ArrowLeft') onStep('older');
    else if (event.key === 'ArrowRight') onStep('newer');
    else if (event.key === 'Home') onGo(firstAt, true);
    else if (event.key === 'End') onGo(null, true);
    else return;
    event.preventDefault();
  }

  return (
    <div
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label="Moment"
      aria-valuemin={axis.extent.from}
      aria-valuemax={axis.extent.to}
      aria-valuenow={shownAt ?? axis.extent.to}
      aria-valuetext={words}
      onKeyDown={onKeyDown}
      {...handlers}
      className="relative min-w-0 flex-[1_1_16rem] cursor-ew-resize touch-none rounded bg-sunken select-none max-md:basis-full"
    >
      <svg width={widthPx} height={heightPx} aria-hidden="true" className="block overflow-visible rounded">
        {axis.breaks.map(({ from, to }) => (
          <path
            key={from}
            d={`M${scale.toX(from)} ${heightPx / 2}H${scale.toX(to)}`}
            strokeDasharray="2 4"
            className="stroke-line-strong"
          />
        ))}
        {bars.map(({ x: left, share, hasTrouble }) => (
          <rect
            key={left}
            x={left}
            y={heightPx - 2 - share * (heightPx - 12)}
            width={overviewBinPx - 1}
            height={Math.max(2, share * (heightPx - 12))}
            className={hasTrouble ? 'fill-nacked' : 'fill-muted/60'}
          />
        ))}
        {bars
          .filter(({ hasTrouble }) => hasTrouble)
          .map(({ x: left }) => (
            <path key={left} d={`M${left + 1} 0L${left + 4} 5H${left - 2}Z`} className="fill-nacked" />
          ))}
        {since !== null && widthPx > 0 && (
          <g transform={`translate(${Math.min(widthPx, Math.max(0, scale.toX(since)))} 0)`}>
            <path d={`M0 0V${heightPx}`} strokeWidth={1.5} className="stroke-text" />
            <rect x={-7} y={0} width={14} height={13} rx={3} className="fill-text" />
            <text y={10} textAnchor="middle" className="fill-surface text-[10px] font-semibold">
              A
            </text>
          </g>
        )}
        {widthPx > 0 && (
          <g transform={`translate(${x} 0)`}>
            <path d={`M0 0V${heightPx}`} strokeWidth={2} className="stroke-accent" />
            <path d={`M-6 ${heightPx + 1}H6L0 ${heightPx - 8}Z`} className="fill-accent" />
          </g>
        )}
      </svg>
      {dragX !== null && (
        <span
          className={`pointer-events-none absolute -top-6 z-20 rounded bg-text px-1.5 py-0.5 font-mono text-[0.7857rem] whitespace-nowrap text-surface ${dragX > widthPx / 2 ? '-translate-x-full' : ''}`}
          style={{ left: dragX }}
        >
          {words}
        </span>
      )}
    </div>
  );
}

/** The axis grows while one is now. Who went to a moment, or is on the way, keeps the one on which it was chosen. */
function useHeldTimeline(newest: HistoryTimeline, isDragged: boolean, at: EpochMs | null): HistoryTimeline {
  const [held, setHeld] = useState(newest);
  const holds = isDragged || (at !== null && at <= held.to);
  if (!holds && held !== newest) setHeld(newest);
  return holds ? held : newest;
}
