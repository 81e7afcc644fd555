'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import { type HistoryParams, historyQuestion } from '@/app/_ask/history';
import { useQuestion } from '@/app/_ask/use-question';
import type { TimeWindow } from '@/lib/views/history/collapsed-axis';
import type { HistoryTimeline } from '@/lib/views/history/schema';

interface WindowOptions {
  readonly stored: TimeWindow | null;
  readonly onStore: (window: TimeWindow | null) => void;
  readonly whole: HistoryTimeline | undefined;
}

interface HistoryWindow {
  /** null: everything. */
  readonly window: TimeWindow | null;
  readonly move: (window: TimeWindow | null) => void;
  /** Writes the window to the URL, after a gesture. */
  readonly storeWindow: () => void;
}

const pauseMs = 250;

/** The visible part of the axis. A window that includes the newest event follows newer events. */
export function useHistoryWindow({ stored, onStore, whole }: WindowOptions): HistoryWindow {
  const [window, setWindow] = useState(stored);
  const latest = useRef({ window, onStore });
  useEffect(() => {
    latest.current = { window, onStore };
  });

  // The URL changed by the back button or by a link.
  const storedText = stored === null ? '' : `${Math.floor(stored.from)}..${Math.ceil(stored.to)}`;
  const [shownText, setShownText] = useState(storedText);
  if (storedText !== shownText) {
    setShownText(storedText);
    setWindow(stored);
  }

  const end = useRef<number | null>(null);
  useEffect(() => {
    if (whole === undefined) return;
    const before = end.current;
    end.current = whole.to;
    if (before === null || whole.to <= before) return;
    setWindow((now) =>
      now !== null && now.to >= before - 1
        ? { from: now.from + whole.to - before, to: now.to + whole.to - before }
        : now,
    );
  }, [whole]);

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const storeWindow = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const { window: now, onStore: store } = latest.current;
      setShownText(now === null ? '' : `${Math.floor(now.from)}..${Math.ceil(now.to)}`);
      store(now);
    }, pauseMs);
  }, []);
  return { window, move: setWindow, storeWindow };
}

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
  const range = { from: Math.floor(from), to: Math.ceil(to) };
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
