'use client';

import { useCallback, useState } from 'react';
import type { ShownMoment } from '@/app/_drawings/history/moment-axis';
import type { HistoryTimeline } from '@/lib/api/history';

export interface TailPause {
  readonly isPaused: boolean;
  readonly onPause: (isPaused: boolean) => void;
  /** The axis of time is dragged over. */
  readonly onDrag: (isDragged: boolean) => void;
}

/**
 * New events wait while somebody asks for it, and while somebody is at a moment in the past or on the way there: with
 * each of them the axis would become another one below the pointer. A moment that is later than all that is shown lets
 * them in.
 */
export function useTailPause(moment: ShownMoment | null, whole: HistoryTimeline | undefined): TailPause {
  /** What the reader said; null: nothing. */
  const [reported, setReported] = useState<boolean | null>(null);
  const [isDragged, setDragged] = useState(false);
  const isChosen = moment?.isChosen === true;
  const [wasChosen, setWasChosen] = useState(isChosen);
  if (wasChosen !== isChosen) {
    setWasChosen(isChosen);
    // "Follow" was said of the moment that was left.
    if (reported === false) setReported(null);
  }
  const isInSight = moment !== null && moment.at !== null && (whole === undefined || moment.at <= whole.to);
  const onDrag = useCallback((isNow: boolean) => {
    setDragged(isNow);
    if (isNow) setReported((before) => (before === false ? null : before));
  }, []);
  return { isPaused: isDragged || (reported ?? (isChosen && isInSight)), onPause: setReported, onDrag };
}
