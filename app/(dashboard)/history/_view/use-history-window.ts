'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import type { HistoryTimeline } from '@/lib/api/history';
import type { TimeWindow } from '@/lib/view-model/history/collapsed-axis';

interface WindowOptions {
  /** What the URL says. */
  readonly stored: TimeWindow | null;
  readonly onStore: (window: TimeWindow | null) => void;
  readonly whole: HistoryTimeline | undefined;
}

export interface HistoryWindow {
  /** null: everything. */
  readonly window: TimeWindow | null;
  readonly move: (window: TimeWindow | null) => void;
  /** Writes it into the URL: after a gesture, not while it lasts. */
  readonly settle: () => void;
}

/** After the last turn of the wheel. */
const settleMs = 250;

/** What of the axis is in sight. One that shows the newest event goes along when a newer one comes. */
export function useHistoryWindow({ stored, onStore, whole }: WindowOptions): HistoryWindow {
  const [window, setWindow] = useState(stored);
  const latest = useRef({ window, onStore });
  useEffect(() => {
    latest.current = { window, onStore };
  });

  // The back button, and a link that names a window.
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
  const settle = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const { window: now, onStore: store } = latest.current;
      setShownText(now === null ? '' : `${Math.floor(now.from)}..${Math.ceil(now.to)}`);
      store(now);
    }, settleMs);
  }, []);
  return { window, move: setWindow, settle };
}
