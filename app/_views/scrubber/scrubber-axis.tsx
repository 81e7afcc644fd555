'use client';

import dynamic from 'next/dynamic';
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';
import { loadOnInput } from '@/app/_components/load-on-input';
import { HistoryAxis } from '@/app/_drawings/history/history-axis';
import { useElementSize } from '@/app/_drawings/history/use-element-size';
import { useMomentDrag } from '@/app/_drawings/history/use-moment-drag';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatExactTime } from '@/lib/format/exact-time';
import { buildAxis } from '@/lib/views/history/build-axis';
import type { CollapsedAxis, TimeScale } from '@/lib/views/history/collapsed-axis';
import { layoutAxis } from '@/lib/views/history/layout-axis';
import { layoutOverview, overviewBinPx } from '@/lib/views/history/layout-overview';
import type { HistoryTimeline } from '@/lib/views/history/schema';
import { firstMoment } from '@/lib/views/history/timeline-moments';
import type { EpochMs } from '@/lib/xds/units';
import type { ScrubRange } from './use-scrub-range';

const MomentFlag = dynamic(() => import('./moment-flag').then(({ MomentFlag }) => MomentFlag));
const ScrubberReadout = dynamic(() =>
  import('./scrubber-readout').then(({ ScrubberReadout }) => ScrubberReadout),
);
loadOnInput(() => Promise.all([import('./moment-flag'), import('./scrubber-readout')]));

interface ScrubberAxisProps {
  readonly timeline: HistoryTimeline;
  /** False while the timeline is still that of another range. */
  readonly isOfRange: boolean;
  readonly range: ScrubRange;
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

const heightPx = 22;
/** The distance from the right edge that means now. */
const nowPx = 4;

/**
 * The client's events on a strip without idle time, above their times. A drag, a click or the arrow keys choose a time; a
 * drag over the times zooms in.
 */
export function ScrubberAxis(props: ScrubberAxisProps) {
  const timeZone = useTimeZone();
  const { timeline: newest, isOfRange, range, at, flags, onGo, onStep, onFlag, onOpenFlag } = props;
  const box = useRef<HTMLDivElement>(null);
  const [isDragged, setDragged] = useState(false);
  /** The place where a mouse entered; null: nothing has entered. */
  const [entered, setEntered] = useState<{ readonly x: number | null } | null>(null);
  const timeline = useHeldTimeline(newest, isDragged, at, isOfRange ? range.key : '');
  const { widthPx } = useElementSize(box);
  const axis = useMemo(() => buildAxis(timeline, widthPx), [timeline, widthPx]);
  const scale = useMemo(() => axis.over(axis.extent, widthPx), [axis, widthPx]);
  const bars = useMemo(() => layoutOverview(timeline, scale), [timeline, scale]);
  const firstAt = useMemo(() => firstMoment(timeline), [timeline]);
  const momentAt = (x: number): EpochMs | null =>
    range.endsNow && x >= widthPx - nowPx
      ? null
      : Math.min(timeline.to, Math.max(firstAt, Math.round(scale.toAt(x))));
  const { dragX, handlers } = useMomentDrag({ element: box, widthPx, momentAt, onGo, onDrag: setDragged });
  const place = dragX ?? (at !== null ? scale.toX(at) : range.endsNow ? widthPx : Number.POSITIVE_INFINITY);
  const shownAt = dragX === null ? at : momentAt(dragX);
  const { extent } = axis;

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'ArrowLeft') onStep('older');
    else if (event.key === 'ArrowRight') onStep('newer');
    else if (event.key === 'Home') onGo(firstAt, true);
    else if (event.key === 'End') onGo(range.endsNow ? null : timeline.to, true);
    else if (event.key === '+' || event.key === '=') range.zoomIn(at);
    else if (event.key === '-' && !range.isWhole) range.zoomOut();
    else return;
    event.preventDefault();
  }

  return (
    <div
      ref={box}
      onPointerEnter={({ pointerType, clientX, currentTarget }) =>
        setEntered({
          x: pointerType === 'mouse' ? clientX - currentTarget.getBoundingClientRect().left : null,
        })
      }
      className="relative min-w-0 flex-[1_1_16rem] max-md:basis-full"
    >
      <div
        role="slider"
        tabIndex={0}
        aria-label="Moment"
        aria-valuemin={extent.from}
        aria-valuemax={extent.to}
        aria-valuenow={Math.min(extent.to, Math.max(extent.from, shownAt ?? extent.to))}
        aria-valuetext={shownAt === null ? 'now' : formatExactTime(shownAt, timeZone)}
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
              y={heightPx - 1 - share * (heightPx - 7)}
              width={overviewBinPx - 1}
              height={Math.max(2, share * (heightPx - 7))}
              className={hasTrouble ? 'fill-nacked' : 'fill-muted/60'}
            />
          ))}
          {bars
            .filter(({ hasTrouble }) => hasTrouble)
            .map(({ x: left }) => (
              <path key={left} d={`M${left + 1} 0L${left + 4} 5H${left - 2}Z`} className="fill-nacked" />
            ))}
          {widthPx > 0 && <MomentLine place={place} widthPx={widthPx} />}
        </svg>
      </div>
      <ScrubberTicks
        {...{ axis, scale, timeZone, stripPx: heightPx }}
        onRange={range.zoomTo}
        onZoomOut={range.zoomOut}
      />
      {entered !== null && (
        <ScrubberReadout
          {...{ strip: box, enteredX: entered.x, timeline, scale, timeZone, dragX, momentAt }}
        />
      )}
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

/** `place` outside of the axis: the shown time is before or after it. */
function MomentLine({ place, widthPx }: { readonly place: number; readonly widthPx: number }) {
  if (place < -1) return <path d={`M8 4V${heightPx - 4}L1 ${heightPx / 2}Z`} className="fill-accent" />;
  if (place > widthPx + 1) {
    return (
      <path d={`M${widthPx - 8} 4V${heightPx - 4}L${widthPx - 1} ${heightPx / 2}Z`} className="fill-accent" />
    );
  }
  return (
    <g transform={`translate(${place} 0)`}>
      <path d={`M0 0V${heightPx}`} strokeWidth={2} className="stroke-accent" />
      <path d={`M-6 ${heightPx + 1}H6L0 ${heightPx - 7}Z`} className="fill-accent" />
    </g>
  );
}

/**
 * The axis grows while the newest state is shown. During a drag or at an earlier time it stays as it is. `rangeKey` is empty
 * while the timeline is still that of another range.
 */
function useHeldTimeline(
  newest: HistoryTimeline,
  isDragged: boolean,
  at: EpochMs | null,
  rangeKey: string,
): HistoryTimeline {
  const [held, setHeld] = useState({ timeline: newest, rangeKey });
  const isOfRange = rangeKey !== '' && held.rangeKey === rangeKey;
  const holds = isOfRange && (isDragged || (at !== null && at <= held.timeline.to));
  if (!holds && (held.timeline !== newest || held.rangeKey !== rangeKey)) {
    setHeld({ timeline: newest, rangeKey });
  }
  return holds ? held.timeline : newest;
}

interface ScrubberTicksProps {
  readonly axis: CollapsedAxis;
  readonly scale: TimeScale;
  readonly timeZone: string;
  /** Height of the strip above, which the chosen range also covers. */
  readonly stripPx: number;
  readonly onRange: (from: EpochMs, to: EpochMs) => void;
  readonly onZoomOut: () => void;
}

/** A shorter drag is a click. */
const leastDragPx = 4;

/** The times of the axis. A drag over them zooms in. */
function ScrubberTicks({ axis, scale, timeZone, stripPx, onRange, onZoomOut }: ScrubberTicksProps) {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null);
  const xOf = ({ clientX, currentTarget }: PointerEvent): number =>
    Math.min(scale.widthPx, Math.max(0, clientX - currentTarget.getBoundingClientRect().left));
  const left = drag === null ? 0 : Math.min(drag.from, drag.to);
  const width = drag === null ? 0 : Math.abs(drag.to - drag.from);
  return (
    <div
      role="img"
      aria-label="The times of the axis"
      title="Drag to zoom in, double-click to zoom out"
      className="relative cursor-crosshair touch-none select-none"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: xOf(event), to: xOf(event) });
      }}
      onPointerMove={(event) => {
        const to = xOf(event);
        setDrag((known) => known && { ...known, to });
      }}
      onPointerUp={() => {
        setDrag(null);
        if (width >= leastDragPx) onRange(scale.toAt(left), scale.toAt(left + width));
      }}
      onPointerCancel={() => setDrag(null)}
      onDoubleClick={onZoomOut}
    >
      <HistoryAxis
        layout={layoutAxis(axis, scale)}
        widthPx={scale.widthPx}
        timeZone={timeZone}
        heightPx={18}
      />
      {drag !== null && (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute bottom-0 border-x border-accent bg-accent/15"
          style={{ left, width, top: -stripPx }}
        />
      )}
    </div>
  );
}
