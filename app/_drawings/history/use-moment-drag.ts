import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { EpochMs } from '@/lib/xds/units';

interface MomentDragOptions {
  /** Positions are relative to its left edge. */
  readonly element: RefObject<HTMLElement | null>;
  readonly widthPx: number;
  /** null: now. */
  readonly momentAt: (x: number) => EpochMs | null;
  /** Only the first call of a drag adds an entry to the browser's history. */
  readonly onGo: (at: EpochMs | null, isFirst: boolean) => void;
  /** During a drag the axis must not change. */
  readonly onDrag: (isDragged: boolean) => void;
}

const restMs = 120;

/** Chooses a time by click or drag, once the pointer rests or is released; `dragX` is the current position. */
export function useMomentDrag({ element, widthPx, momentAt, onGo, onDrag }: MomentDragOptions) {
  const [dragX, setDragX] = useState<number | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const wentTo = useRef<EpochMs | null | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const xOf = (event: PointerEvent): number => {
    const left = element.current?.getBoundingClientRect().left ?? 0;
    return Math.min(widthPx, Math.max(0, event.clientX - left));
  };
  const goTo = (next: EpochMs | null): void => {
    if (wentTo.current === next) return;
    onGo(next, wentTo.current === undefined);
    wentTo.current = next;
  };
  const drag = (event: PointerEvent): void => {
    const x = xOf(event);
    setDragX(x);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => goTo(momentAt(x)), restMs);
  };
  const handlers = {
    onPointerDown(event: PointerEvent): void {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      wentTo.current = undefined;
      onDrag(true);
      drag(event);
    },
    onPointerMove(event: PointerEvent): void {
      if (event.currentTarget.hasPointerCapture(event.pointerId)) drag(event);
    },
    onPointerUp(event: PointerEvent): void {
      if (dragX === null) return;
      clearTimeout(timer.current);
      setDragX(null);
      onDrag(false);
      goTo(momentAt(xOf(event)));
    },
    onPointerCancel(): void {
      clearTimeout(timer.current);
      setDragX(null);
      onDrag(false);
    },
  };
  return { dragX, handlers };
}
