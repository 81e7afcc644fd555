'use client';

import { useCallback, useState } from 'react';
import type { ShownMoment } from '@/app/_drawings/history/moment-axis';
import type { HistoryTimeline } from '@/lib/api/history';

export interface TailPause {
  readonly isPaused: boolean;
  readonly onPause: (isPaused: boolean) => void;
  readonly onDrag: (isDragged: boolean) => void;
}

/**
 * Pauses new events on request, during a drag, and while a time in the past is chosen, because each new event
 * would change the axis under the pointer. A time later than all shown events does not pause.
 */
export function useTailPause(moment: ShownMoment | null, whole: HistoryTimeline | undefined): TailPause {
  /** The reader's choice; null: none. */
  const [reported, setReported] = useState<boolean | null>(null);
  const [isDragged, setDragged] = useState(false);
  const isChosen = moment?.isChosen === true;
  const [wasChosen, setWasChosen] = useState(isChosen);
  if (wasChosen !== isChosen) {
    setWasChosen(isChosen);
    // "Follow" applied to the time that was left.
    if (reported === false) setReported(null);
  }
  const isVisible = moment !== null && moment.at !== null && (whole === undefined || moment.at <= whole.to);
  const onDrag = useCallback((isNow: boolean) => {
    setDragged(isNow);
    if (isNow) setReported((before) => (before === false ? null : before));
  }, []);
  return { isPaused: isDragged || (reported ?? (isChosen && isVisible)), onPause: setReported, onDrag };
}
