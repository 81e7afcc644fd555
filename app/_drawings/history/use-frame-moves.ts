import { useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import type { AxisMove, CollapsedAxis, TimeWindow } from '@/lib/views/history/collapsed-axis';

interface FrameMovesOptions {
  readonly axis: CollapsedAxis;
  readonly window: TimeWindow;
  readonly widthPx: number;
  /** null: everything. */
  readonly onWindow: (window: TimeWindow | null) => void;
}

/** Combines the moves of a frame, because wheel and touch events are more frequent than frames. */
export function useFrameMoves(options: FrameMovesOptions): (move: AxisMove) => void {
  const latest = useRef(options);
  /** The window after the moves of this frame; null: no move. */
  const next = useRef<TimeWindow | null>(null);
  const frame = useRef(0);
  useLayoutEffect(() => {
    latest.current = options;
  });
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  return useCallback((move) => {
    const { axis, window, widthPx } = latest.current;
    if (next.current === null) {
      frame.current = requestAnimationFrame(() => {
        const moved = next.current;
        next.current = null;
        const { axis: whole, onWindow } = latest.current;
        if (moved !== null) onWindow(whole.isWhole(moved) ? null : moved);
      });
    }
    next.current = axis.move(next.current ?? window, widthPx, move);
  }, []);
}
