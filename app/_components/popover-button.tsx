'use client';

import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { Icon } from './icon';

interface PopoverButtonProps {
  /** The accessible name of the popover. */
  readonly label: string;
  /** The accessible name of the button; absent: its content. */
  readonly buttonLabel?: string;
  readonly button: ReactNode;
  /** Rendered while the popover is open. */
  readonly children: ReactNode | ((close: () => void) => ReactNode);
  readonly className?: string;
  readonly popoverClassName?: string;
}

const usual = 'h-7 max-w-full gap-1.5 rounded-md border-line px-2 text-small';
const usualPopover = 'flex-col gap-3 p-3 open:flex';

/** A button that opens details beside it. Escape and a click elsewhere close them. */
export function PopoverButton(props: PopoverButtonProps) {
  const { label, buttonLabel, button, children, className = usual, popoverClassName = usualPopover } = props;
  const id = useId();
  const anchor = useRef<HTMLButtonElement>(null);
  const popover = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => popover.current?.hidePopover();

  useLayoutEffect(() => {
    const element = popover.current;
    // It may have been opened before the page was hydrated.
    if (!isOpen) setOpen(element?.matches(':popover-open') === true);
    if (!isOpen || element === null) return;
    const place = () => {
      if (anchor.current !== null) placeBeside(element, anchor.current.getBoundingClientRect());
    };
    place();
    if (!element.contains(document.activeElement)) element.focus();
    addEventListener('resize', place);
    addEventListener('scroll', place, true);
    return () => {
      removeEventListener('resize', place);
      removeEventListener('scroll', place, true);
    };
  }, [isOpen]);

  return (
    <>
      <button
        ref={anchor}
        type="button"
        popoverTarget={id}
        aria-label={buttonLabel}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        className={`inline-flex min-w-0 items-center border bg-raised whitespace-nowrap hover:bg-hover aria-expanded:bg-hover ${className}`}
      >
        {button}
        <Icon name="chevron-down" sizePx={11} />
      </button>
      <div
        ref={popover}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        tabIndex={-1}
        onToggle={({ newState }) => setOpen(newState === 'open')}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.defaultPrevented) return;
          event.preventDefault();
          close();
        }}
        className={`fixed inset-auto m-0 max-h-[min(70dvh,var(--room))] max-w-[min(44rem,calc(100vw-1rem))] overflow-auto card text-left text-small font-normal whitespace-normal text-text shadow-[0_8px_24px_var(--shadow)] outline-none empty:hidden ${popoverClassName}`}
      >
        {isOpen && (typeof children === 'function' ? children(close) : children)}
      </div>
    </>
  );
}

const gapPx = 6;
const marginPx = 8;

/** Below the anchor, or above it if there is more room; inside the window. */
function placeBeside(element: HTMLElement, anchor: DOMRect): void {
  const { style, offsetWidth, scrollHeight } = element;
  const above = anchor.top - gapPx - marginPx;
  const below = innerHeight - anchor.bottom - gapPx - marginPx;
  const isAbove = below < scrollHeight && above > below;
  style.left = `${Math.max(marginPx, Math.min(anchor.left, innerWidth - offsetWidth - marginPx))}px`;
  style.top = isAbove ? 'auto' : `${anchor.bottom + gapPx}px`;
  style.bottom = isAbove ? `${innerHeight - anchor.top + gapPx}px` : 'auto';
  style.setProperty('--room', `${isAbove ? above : below}px`);
}
