import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { describeMark } from '@/lib/views/history/describe-mark';
import type { HistoryMarks } from '@/lib/views/history/schema';
import type { HitMarks } from './hit-marks';

interface HistoryHoverProps {
  /** The element under the pointer, whose cursor shows whether a mark is there. */
  readonly stage: RefObject<HTMLElement | null>;
  readonly hits: HitMarks;
  /** null: no single events. */
  readonly marks: HistoryMarks | null;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly scrollTop: number;
  readonly timeZone: string;
}

interface Hover {
  readonly mark: number;
  readonly x: number;
  readonly y: number;
}

/**
 * The event under the pointer. It listens to the pointer itself, so that the drawing is not rendered on every
 * move.
 */
export function HistoryHover(props: HistoryHoverProps) {
  const { stage, marks, widthPx, heightPx, scrollTop, timeZone } = props;
  const [hover, setHover] = useState<Hover | null>(null);
  const latest = useRef(props.hits);
  useLayoutEffect(() => {
    latest.current = props.hits;
  });
  useEffect(() => {
    const target = stage.current;
    if (target === null) return;
    const show = (next: Hover | null) => {
      target.dataset.hovers = String(next !== null);
      setHover((before) => (before?.mark === next?.mark ? before : next));
    };
    const follow = (event: PointerEvent) => {
      if (event.buttons !== 0) return show(null);
      const box = target.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      const mark = latest.current.find(x, y);
      show(mark === undefined ? null : { mark, x, y });
    };
    const leave = () => show(null);
    target.addEventListener('pointermove', follow);
    target.addEventListener('pointerleave', leave);
    target.addEventListener('wheel', leave, { passive: true });
    return () => {
      target.removeEventListener('pointermove', follow);
      target.removeEventListener('pointerleave', leave);
      target.removeEventListener('wheel', leave);
    };
  }, [stage]);
  if (hover === null || marks === null || marks.seq[hover.mark] === undefined) return null;
  return (
    <p
      aria-hidden="true"
      className="pointer-events-none absolute z-10 max-w-72 rounded-md border border-line bg-raised px-2 py-1 text-tiny shadow-[0_2px_8px_var(--shadow)]"
      style={{
        left: Math.max(4, Math.min(hover.x + 10, widthPx - 292)),
        top: hover.y + (hover.y - scrollTop > heightPx - 56 ? -48 : 14),
      }}
    >
      {describeMark(marks, hover.mark, timeZone)}
    </p>
  );
}
