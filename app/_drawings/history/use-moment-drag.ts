import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { EpochMs } from '@/lib/xds/units';

export interface MomentDragOptions {
  /** What is dragged over: places are counted from its left edge. */
  readonly element: RefObject<HTMLElement | null>;
  readonly widthPx: number;
  /** null: now. */
  readonly momentAt: (x: number) => EpochMs | null;
  /** A drag goes to many moments; all but the first take the place of the one before in the browser's history. */
  readonly onGo: (at: EpochMs | null, isFirst: boolean) => void;
  /** Between the two nothing may move below the pointer: what was drawn where it was pressed is what is meant. */
  readonly onDrag: (isDragged: boolean) => void;
}

const restMs = 120;

/** A moment by click or drag. It is gone to when the pointer rests or lets go; `dragX` is where it is meanwhile. */
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
