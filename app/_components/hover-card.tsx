'use client';

import { type ReactNode, useCallback, useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';

interface HoverCardProps {
  /** The accessible name of the card. */
  readonly label: string;
  readonly card: ReactNode;
  readonly children: ReactNode;
}

const openMs = 250;
const closeMs = 150;
const widthPx = 460;
const gapPx = 6;

interface Place {
  readonly left: number;
  readonly top: number | undefined;
  readonly bottom: number | undefined;
}

/** Shows a card beside its content on hover and focus. The pointer may move onto the card; Escape closes it. */
export function HoverCard({ label, card, children }: HoverCardProps) {
  const anchor = useRef<HTMLButtonElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [place, setPlace] = useState<Place | null>(null);
  const id = useId();

  const after = useCallback((ms: number, run: () => void) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(run, ms);
  }, []);
  const open = useCallback(() => {
    const box = anchor.current?.getBoundingClientRect();
    if (box !== undefined) setPlace(placeBeside(box));
  }, []);
  const close = useCallback(() => setPlace(null), []);

  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (place === null) return;
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && close();
    document.addEventListener('keydown', onKey);
    document.addEventListener('scroll', close, true);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('scroll', close, true);
    };
  }, [place, close]);

  return (
    <>
      <button
        ref={anchor}
        type="button"
        aria-describedby={place === null ? undefined : id}
        className="flex min-h-6 min-w-0 cursor-help items-center text-left decoration-dotted underline-offset-4 hover:underline"
        onPointerEnter={() => after(openMs, open)}
        onPointerLeave={() => after(closeMs, close)}
        onFocus={() => after(openMs, open)}
        onBlur={() => after(closeMs, close)}
      >
        {children}
      </button>
      {place !== null &&
        createPortal(
          <div
            id={id}
            role="tooltip"
            aria-label={label}
            onPointerEnter={() => clearTimeout(timer.current)}
            onPointerLeave={() => after(closeMs, close)}
            className="fixed z-40 max-w-[calc(100vw-1rem)] rounded-md border border-line-strong bg-raised p-3 shadow-lg"
            style={{ ...place, width: widthPx }}
          >
            {card}
          </div>,
          document.body,
        )}
    </>
  );
}

/** Below the anchor, or above it in the lower half of the window. */
function placeBeside({ left, top, bottom }: DOMRect): Place {
  const fits = Math.max(8, Math.min(left, window.innerWidth - widthPx - 8));
  const isLow = bottom > window.innerHeight / 2;
  return {
    left: fits,
    top: isLow ? undefined : bottom + gapPx,
    bottom: isLow ? window.innerHeight - top + gapPx : undefined,
  };
}
