'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import type { HistoryTimeline } from '@/lib/api/history';
import type { TimeWindow } from '@/lib/view-model/history/collapsed-axis';

interface WindowOptions {
  readonly stored: TimeWindow | null;
  readonly onStore: (window: TimeWindow | null) => void;
  readonly whole: HistoryTimeline | undefined;
}

export interface HistoryWindow {
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
