'use client';

import { useMemo } from 'react';
import { useTimeRange } from '@/app/_hooks/use-time-range';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { everything, followRange, rangeBetween, resolveTimeRange, zoomOutRange } from '@/lib/time/time-range';
import { leastRangeMs, moveRangeTo, zoomInRange } from '@/lib/time/zoom-range';
import type { HistoryTimeline } from '@/lib/views/history/schema';
import type { EpochMs } from '@/lib/xds/units';

export interface ScrubRange {
  /** The same for the same range. */
  readonly key: string;
  /** True if the axis ends now. */
  readonly endsNow: boolean;
  readonly isWhole: boolean;
  readonly zoomIn: (at: EpochMs | null) => void;
  readonly zoomOut: () => void;
  readonly zoomTo: (from: EpochMs, to: EpochMs) => void;
  /** Moves the range if it does not contain the time; null: now. */
  readonly reveal: (at: EpochMs | null) => void;
}

/** The time range of the URL as the part of the recording that the scrubber shows; without one it shows everything. */
export function useScrubRange(timeline: HistoryTimeline | undefined): ScrubRange {
  const { range: chosen, urlRange: extent, isLive, setRange } = useTimeRange();
  const timeZone = useTimeZone();
  const isWhole = extent.from === '' && extent.to === '';
  return useMemo(() => {
    const range = isWhole ? everything : chosen;
    const contextNow = () => ({ now: Date.now(), timeZone });
    const endsNow = isWhole || isLive;
    return {
      key: `${extent.from} ${extent.to}`,
      endsNow,
      isWhole,
      zoomIn(at) {
        if (timeline === undefined) return;
        const context = contextNow();
        setRange(zoomInRange({ from: timeline.from, to: endsNow ? context.now : timeline.to }, at, context));
      },
      zoomOut() {
        if (isWhole) return;
        const context = contextNow();
        const { from } = resolveTimeRange(range, context);
        // The axis begins with the recording, however early the range begins.
        const isAll = from === null || (endsNow && timeline !== undefined && timeline.from > from);
        setRange(isAll ? null : zoomOutRange(range, context));
      },
      zoomTo(from, to) {
        const end = Math.max(to, from + leastRangeMs);
        setRange(rangeBetween(from, end, contextNow()));
      },
      reveal(at) {
        if (isWhole) return;
        const context = contextNow();
        const next =
          at !== null ? moveRangeTo(range, at, context) : endsNow ? undefined : followRange(range, context);
        if (next !== undefined) setRange(next);
      },
    };
  }, [chosen, extent, isWhole, isLive, setRange, timeZone, timeline]);
}
