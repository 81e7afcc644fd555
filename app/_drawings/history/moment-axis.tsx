import { useMemo, useRef } from 'react';
import type { TimeScale } from '@/lib/views/history/collapsed-axis';
import type { AxisLayout } from '@/lib/views/history/layout-axis';
import type { HistoryTimeline } from '@/lib/views/history/schema';
import { firstMoment } from '@/lib/views/history/timeline-moments';
import type { EpochMs } from '@/lib/xds/units';
import { HistoryAxis } from './history-axis';
import { useMomentDrag } from './use-moment-drag';

export interface ShownMoment {
  /** null: now. */
  readonly at: EpochMs | null;
  /** True if the reader chose the time; the axis then stays as it is. */
  readonly isChosen: boolean;
  /** During a drag, only the first call adds an entry to the browser's history. */
  readonly onGo: (at: EpochMs | null, isFirst: boolean) => void;
}

interface MomentAxisProps {
  readonly moment: ShownMoment;
  readonly layout: AxisLayout;
  readonly scale: TimeScale;
  /** All events. Times after the end mean now; times before the first event are clamped. */
  readonly whole: HistoryTimeline;
  readonly timeZone: string;
  /** Height of the lanes above, which the time's line crosses. */
  readonly lanesPx: number;
  readonly onDrag: (isDragged: boolean) => void;
}

/** The axis as a scrubber: a click or drag chooses a time. */
export function MomentAxis({ moment, layout, scale, whole, timeZone, lanesPx, onDrag }: MomentAxisProps) {
  const element = useRef<HTMLDivElement>(null);
  const { widthPx } = scale;
  const firstAt = useMemo(() => firstMoment(whole), [whole]);
  const momentAt = (x: number): EpochMs | null => {
    const at = Math.round(scale.toAt(x));
    return at > whole.to ? null : Math.max(firstAt, at);
  };
  const { dragX, handlers } = useMomentDrag({ element, widthPx, momentAt, onGo: moment.onGo, onDrag });
  const x = dragX ?? (moment.at === null ? null : scale.toX(moment.at));
  return (
    <div
      ref={element}
      {...handlers}
      title="Click or drag: all views of the client show that time"
      className="relative cursor-ew-resize touch-none select-none"
      style={{ width: widthPx }}
    >
      <HistoryAxis layout={layout} widthPx={widthPx} timeZone={timeZone} />
      {x !== null && x >= 0 && x <= widthPx && (
        <span
          aria-hidden="true"
          data-moment-line=""
          className="pointer-events-none absolute bottom-0 z-10 w-0.5 -translate-x-1/2 bg-accent"
          style={{ left: x, top: -lanesPx }}
        >
          <span className="absolute -bottom-0.5 -left-1 size-2.5 rounded-full bg-accent" />
        </span>
      )}
    </div>
  );
}
