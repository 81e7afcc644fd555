'use client';

import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { loadOnInput } from '@/app/_components/load-on-input';
import type { TimeMove, TimeZoomOptions } from './attach-time-zoom';

/** Zooms and moves the time axis by gestures. Its code is loaded with the first input. */
export function useTimeZoom(element: RefObject<HTMLElement | null>, options: TimeZoomOptions): void {
  const latest = useRef(options);
  useLayoutEffect(() => {
    latest.current = options;
  });
  useEffect(() => {
    const target = element.current;
    if (target === null) return;
    let isOver = false;
    let detach: (() => void) | undefined;
    const onMove = (move: TimeMove) => latest.current.onMove(move);
    loadOnInput(async () => {
      const { attachTimeZoom } = await import('./attach-time-zoom');
      if (!isOver) detach = attachTimeZoom(target, { onMove, onEnd: () => latest.current.onEnd() });
    });
    return () => {
      isOver = true;
      detach?.();
    };
  }, [element]);
}
