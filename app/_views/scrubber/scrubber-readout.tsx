'use client';

import { type RefObject, useEffect, useState } from 'react';
import { formatExactTime } from '@/lib/format/exact-time';
import type { TimeScale } from '@/lib/views/history/collapsed-axis';
import { describeEvents } from '@/lib/views/history/describe-events';
import type { HistoryTimeline } from '@/lib/views/history/schema';
import type { EpochMs } from '@/lib/xds/units';

interface ScrubberReadoutProps {
  /** The element whose pointer is followed. */
  readonly strip: RefObject<HTMLElement | null>;
  /** The position of a mouse at first; null: none. */
  readonly enteredX: number | null;
  readonly timeline: HistoryTimeline;
  readonly scale: TimeScale;
  readonly timeZone: string;
  /** The position of a drag; null: the pointer hovers. */
  readonly dragX: number | null;
  /** null: now. */
  readonly momentAt: (x: number) => EpochMs | null;
}

/** Events this far from the pointer are stated. */
const reachPx = 3;

/** The time under the pointer, and the events there. It has a state of its own, so that the strip is not drawn on every move. */
export function ScrubberReadout(props: ScrubberReadoutProps) {
  const { strip, timeline, scale, timeZone, dragX, momentAt } = props;
  const [hoverX, setHoverX] = useState(props.enteredX);
  useEffect(() => {
    const target = strip.current;
    if (target === null) return;
    const follow = (event: PointerEvent) => {
      if (event.pointerType === 'mouse') setHoverX(event.clientX - target.getBoundingClientRect().left);
    };
    const leave = () => setHoverX(null);
    target.addEventListener('pointermove', follow);
    target.addEventListener('pointerleave', leave);
    return () => {
      target.removeEventListener('pointermove', follow);
      target.removeEventListener('pointerleave', leave);
    };
  }, [strip]);
  const x = dragX ?? hoverX;
  if (x === null || x < 0 || x > scale.widthPx) return null;
  const at = momentAt(x);
  const events = describeEvents(timeline, scale.toAt(x - reachPx), scale.toAt(x + reachPx));
  return (
    <>
      <span
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 z-10 w-px bg-text/60"
        style={{ left: x }}
      />
      <span
        aria-hidden="true"
        data-readout=""
        className={`pointer-events-none absolute -top-6 z-20 rounded bg-text px-1.5 py-0.5 text-tiny whitespace-nowrap text-surface ${x > scale.widthPx / 2 ? '-translate-x-full' : ''}`}
        style={{ left: x }}
      >
        <span className="font-mono">{at === null ? 'now' : formatExactTime(at, timeZone)}</span>
        {events !== '' && `: ${events}`}
      </span>
    </>
  );
}
