'use client';

import { useEffect, useState } from 'react';
import { type HistoryParams, historyQuestion } from '@/app/_ask/history';
import { useQuestion } from '@/app/_ask/use-question';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { TimeWindow } from '@/lib/views/history/collapsed-axis';
import type { HistoryTimeline } from '@/lib/views/history/schema';

/** A margin on each side, so that small pans need no further request. */
const marginShare = 0.75;
const restMs = 150;

/**
 * The timeline of the window: the whole one if it has single events, otherwise a part with finer counts once
 * the window is stable.
 */
export function useWindowTimeline(
  params: HistoryParams,
  whole: HistoryTimeline,
  window: TimeWindow | null,
): HistoryTimeline {
  const [wanted, setWanted] = useState<TimeWindow | null>(null);
  const isCounted = whole.kind === 'density';
  useEffect(() => {
    if (!isCounted || window === null) {
      setWanted(null);
      return;
    }
    const timer = setTimeout(() => {
      setWanted((before) => (before !== null && fits(before, window) ? before : widen(window, whole)));
    }, restMs);
    return () => clearTimeout(timer);
  }, [isCounted, window, whole]);
  const { from, to } = wanted ?? { from: 0, to: 0 };
  const range = { from: formatIsoTime(Math.floor(from)), to: formatIsoTime(Math.ceil(to)) };
  const asked = { ...historyQuestion(params), ...range };
  const part = useQuestion('history/timeline', asked, { enabled: wanted !== null }).data;
  if (!isCounted || window === null || part === undefined) return whole;
  return part.from <= window.from + 1 && part.to >= Math.min(window.to, whole.to) - 1 ? part : whole;
}

function widen({ from, to }: TimeWindow, whole: HistoryTimeline): TimeWindow {
  const marginMs = (to - from) * marginShare;
  return { from: Math.max(whole.from, from - marginMs), to: Math.min(whole.to, to + marginMs) };
}

/** True if the part covers the window and is at most six times as long, so that its counts are fine enough. */
function fits(part: TimeWindow, { from, to }: TimeWindow): boolean {
  return part.from <= from && part.to >= to && part.to - part.from < (to - from) * 6;
}
