import { useMemo, useRef } from 'react';
import type { HistoryTimeline } from '@/lib/api/history';
import type { TimeScale } from '@/lib/view-model/history/collapsed-axis';
import type { AxisLayout } from '@/lib/view-model/history/layout-axis';
import { firstMoment } from '@/lib/view-model/history/timeline-moments';
import type { EpochMs } from '@/lib/xds/units';
import { HistoryAxis } from './history-axis';
import { useMomentDrag } from './use-moment-drag';

/** The moment that a client's views show, and the way to another one. */
export interface ShownMoment {
  /** null: now. */
  readonly at: EpochMs | null;
  /** Somebody went there, and the axis stays as it is meanwhile; else it is where the client's views are by themselves. */
  readonly isChosen: boolean;
  /** A drag goes to many moments; all but the first replace the one before. */
  readonly onGo: (at: EpochMs | null, isFirst: boolean) => void;
}

interface MomentAxisProps {
  readonly moment: ShownMoment;
  readonly layout: AxisLayout;
  readonly scale: TimeScale;
  /** All there is: what is later than its end is now, and nothing is before its first event. */
  readonly whole: HistoryTimeline;
  readonly timeZone: string;
  /** Of the lanes above, over which the moment's line goes. */
  readonly lanesPx: number;
  readonly onDrag: (isDragged: boolean) => void;
}

/** The axis as the scrubber: a click or a drag goes to that moment, whose line goes through all lanes. */
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
      title="Click or drag: all views of the client show that moment"
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
