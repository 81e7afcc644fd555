'use client';

import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useState,
} from 'react';
import { textFields } from '../palette/is-typing';

interface SplitViewProps {
  readonly children: ReactNode;
  /** The part beside the main one, on narrow screens over it; null: closed. */
  readonly side: ReactNode | null;
  readonly onClose: () => void;
}

const storageKey = 'xdscope.inspector-width';
const defaultShare = 0.42;
const leastShare = 0.25;
const mostShare = 0.75;
const keyStep = 0.02;

/** Two parts with a movable border, whose position is stored in this browser. Escape closes the side. */
export function SplitView({ children, side, onClose }: SplitViewProps) {
  const [share, setShare] = useState(defaultShare);
  const isOpen = side !== null;

  useEffect(() => {
    const stored = Number(localStorage.getItem(storageKey));
    if (stored >= leastShare && stored <= mostShare) setShare(stored);
  }, []);

  useEffect(() => {
    if (!isOpen) return;
    function onKeyDown(event: globalThis.KeyboardEvent) {
      // Dialogs and search panels handle Escape themselves; in a text field it clears the text.
      const isTyping = event.target instanceof Element && event.target.closest(textFields) !== null;
      if (event.key !== 'Escape' || event.defaultPrevented || isTyping) return;
      onClose();
    }
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [isOpen, onClose]);

  function resize(next: number) {
    const bounded = Math.min(mostShare, Math.max(leastShare, next));
    setShare(bounded);
    localStorage.setItem(storageKey, bounded.toFixed(3));
  }

  function startDrag(event: PointerEvent<HTMLElement>) {
    const handle = event.currentTarget;
    const room = handle.parentElement?.getBoundingClientRect();
    if (room === undefined) return;
    handle.setPointerCapture(event.pointerId);
    handle.onpointermove = (move) => resize((room.right - move.clientX) / room.width);
    handle.onpointerup = () => {
      handle.onpointermove = null;
    };
    event.preventDefault();
  }

  function resizeByKey(event: KeyboardEvent) {
    const step = event.key === 'ArrowLeft' ? keyStep : event.key === 'ArrowRight' ? -keyStep : 0;
    if (step === 0) return;
    event.preventDefault();
    resize(share + step);
  }

  const style: CSSProperties & Record<'--side', string> = { '--side': `${(share * 100).toFixed(1)}%` };
  return (
    <div className="relative flex min-h-0 min-w-0 flex-1" style={style}>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col bg-raised">{children}</div>
      {isOpen && (
        <>
          <hr
            aria-orientation="vertical"
            aria-label="Width of the inspector"
            aria-valuenow={Math.round(share * 100)}
            aria-valuemin={leastShare * 100}
            aria-valuemax={mostShare * 100}
            tabIndex={0}
            onPointerDown={startDrag}
            onKeyDown={resizeByKey}
            className="m-0 hidden h-auto w-1.5 shrink-0 border-t-0 cursor-col-resize touch-none border-l border-line hover:bg-accent-soft focus-visible:bg-accent-soft md:block"
          />
          <div className="fixed inset-0 z-40 overflow-y-auto bg-raised md:static md:z-auto md:w-[var(--side)] md:shrink-0">
            {side}
          </div>
        </>
      )}
    </div>
  );
}
