'use client';

import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { useElementSize } from '@/app/_drawings/history/use-element-size';
import { useMomentDrag } from '@/app/_drawings/history/use-moment-drag';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import type { HistoryTimeline } from '@/lib/api/history';
import { formatExactTime } from '@/lib/format/exact-time';
import { buildAxis } from '@/lib/view-model/history/build-axis';
import { layoutOverview, overviewBinPx } from '@/lib/view-model/history/layout-overview';
import { firstMoment } from '@/lib/view-model/history/timeline-moments';
import type { EpochMs } from '@/lib/xds/units';
import { MomentFlag } from './moment-flag';

interface ScrubberAxisProps {
  readonly timeline: HistoryTimeline;
  /** null: now. */
  readonly at: EpochMs | null;
  /** The ends of the comparison; null: not set, or outside of the axis. */
  readonly flags: { readonly A: EpochMs | null; readonly B: EpochMs | null };
  /** Only the first call of a drag adds an entry to the browser's history. */
  readonly onGo: (at: EpochMs | null, isFirst: boolean) => void;
  readonly onStep: (direction: 'older' | 'newer') => void;
  readonly onFlag: (name: FlagName, at: EpochMs | null, isFirst: boolean) => void;
  readonly onOpenFlag: (name: FlagName) => void;
}

export type FlagName = 'A' | 'B';
export const flagNames: readonly FlagName[] = ['A', 'B'];

const heightPx = 36;
/** The distance from the right edge that means now. */
const nowPx = 4;

/** The client's events on a strip without idle time. Drag, click or press the arrow keys to choose a time. */
export function ScrubberAxis(props: ScrubberAxisProps) {
  const timeZone = useTimeZone();
  const { timeline: newest, at, flags, onGo, onStep, onFlag, onOpenFlag } = props;
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
  const words = shownAt === null ? 'now' : formatExactTime(shownAt, timeZone);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'ArrowLeft') onStep('older');
    else if (event.key === 'ArrowRight') onStep('newer');
    else if (event.key === 'Home') onGo(firstAt, true);
    else if (event.key === 'End') onGo(null, true);
    else return;
    event.preventDefault();
  }

  return (
    <div ref={box} className="relative min-w-0 flex-[1_1_16rem] max-md:basis-full">
      <div
        role="slider"
        tabIndex={0}
        aria-label="Moment"
        aria-valuemin={axis.extent.from}
        aria-valuemax={axis.extent.to}
        aria-valuenow={shownAt ?? axis.extent.to}
        aria-valuetext={words}
        onKeyDown={onKeyDown}
        {...handlers}
        className="cursor-ew-resize touch-none rounded bg-sunken select-none"
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
          {widthPx > 0 && (
            <g transform={`translate(${x} 0)`}>
              <path d={`M0 0V${heightPx}`} strokeWidth={2} className="stroke-accent" />
              <path d={`M-6 ${heightPx + 1}H6L0 ${heightPx - 8}Z`} className="fill-accent" />
            </g>
          )}
        </svg>
        {dragX !== null && (
          <span
            className={`pointer-events-none absolute -top-6 z-20 rounded bg-text px-1.5 py-0.5 font-mono text-tiny whitespace-nowrap text-surface ${dragX > widthPx / 2 ? '-translate-x-full' : ''}`}
            style={{ left: dragX }}
          >
            {words}
          </span>
        )}
      </div>
      {flagNames.map((name) => {
        const flagAt = flags[name];
        return (
          flagAt !== null &&
          widthPx > 0 && (
            <MomentFlag
              key={name}
              {...{ name, at: flagAt, strip: box, heightPx, scale, timeline }}
              onMove={(next, isFirst) => onFlag(name, next, isFirst)}
              onOpen={() => onOpenFlag(name)}
              onRemove={() => onFlag(name, null, true)}
              onDrag={setDragged}
            />
          )
        );
      })}
    </div>
  );
}

/** The axis grows while the newest state is shown. During a drag or at an earlier time it stays as it is. */
function useHeldTimeline(newest: HistoryTimeline, isDragged: boolean, at: EpochMs | null): HistoryTimeline {
  const [held, setHeld] = useState(newest);
  const holds = isDragged || (at !== null && at <= held.to);
  if (!holds && held !== newest) setHeld(newest);
  return holds ? held : newest;
}
