'use client';

import type { KeyboardEvent, RefObject } from 'react';
import { useMomentDrag } from '@/app/_drawings/history/use-moment-drag';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatExactTime } from '@/lib/format/exact-time';
import type { TimeScale } from '@/lib/views/history/collapsed-axis';
import type { HistoryTimeline } from '@/lib/views/history/schema';
import { stepInstant } from '@/lib/views/history/timeline-moments';
import type { EpochMs } from '@/lib/xds/units';

interface MomentFlagProps {
  readonly name: 'A' | 'B';
  readonly at: EpochMs;
  /** The element over which the flag is dragged. */
  readonly strip: RefObject<HTMLElement | null>;
  readonly heightPx: number;
  readonly scale: TimeScale;
  readonly timeline: HistoryTimeline;
  /** Only the first call of a drag adds an entry to the browser's history. */
  readonly onMove: (at: EpochMs, isFirst: boolean) => void;
  /** Shows this time in the views. */
  readonly onOpen: () => void;
  readonly onRemove: () => void;
  readonly onDrag: (isDragged: boolean) => void;
}

/** One end of the comparison on the scrubber: drag it, or step through events with the arrow keys. */
export function MomentFlag(props: MomentFlagProps) {
  const timeZone = useTimeZone();
  const { name, at, strip, heightPx, scale, timeline, onMove, onOpen, onRemove, onDrag } = props;
  const { widthPx } = scale;
  const momentAt = (x: number): EpochMs => Math.min(timeline.to, Math.round(scale.toAt(x)));
  const { dragX, handlers } = useMomentDrag({
    ...{ element: strip, widthPx, momentAt, onDrag },
    onGo: (next, isFirst) => next !== null && onMove(next, isFirst),
  });
  const x = dragX ?? Math.min(widthPx, Math.max(0, scale.toX(at)));
  const shownAt = dragX === null ? at : momentAt(dragX);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      const next = stepInstant(timeline, at, event.key === 'ArrowLeft' ? 'older' : 'newer');
      if (next !== undefined) onMove(next, true);
    } else if (event.key === 'Enter' || event.key === ' ') onOpen();
    else if (event.key === 'Delete' || event.key === 'Backspace') onRemove();
    else return;
    event.preventDefault();
  }

  return (
    <>
      <span
        aria-hidden="true"
        className="pointer-events-none absolute top-0 w-[1.5px] -translate-x-1/2 bg-text"
        style={{ left: x, height: heightPx }}
      />
      <span
        role="slider"
        tabIndex={0}
        aria-label={`${name} of the comparison`}
        aria-valuemin={scale.window.from}
        aria-valuemax={scale.window.to}
        aria-valuenow={shownAt}
        aria-valuetext={formatExactTime(shownAt, timeZone)}
        title={`${name}: ${formatExactTime(shownAt, timeZone)}. Drag it or press the arrow keys; Enter shows this time, Delete removes it`}
        onKeyDown={onKeyDown}
        {...handlers}
        className="absolute -top-0.5 z-10 grid size-6 -translate-x-1/2 cursor-ew-resize touch-none justify-items-center rounded select-none"
        style={{ left: x }}
      >
        <span className="mt-0.5 grid h-3.5 w-4 place-items-center rounded-sm bg-text text-[0.7143rem] leading-none font-semibold text-surface">
          {name}
        </span>
      </span>
    </>
  );
}
