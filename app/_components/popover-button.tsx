'use client';

import type { ReactNode } from 'react';
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { Icon } from './icon';

interface PopoverButtonProps {
  /** The accessible name of the popover, and of the button unless its content is text. */
  readonly label: string;
  readonly button: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}

/** A button that opens details beside it. Escape and a click elsewhere close them. */
export function PopoverButton({ label, button, children, className = '' }: PopoverButtonProps) {
  return (
    <DialogTrigger>
      <Button
        className={`inline-flex h-7 min-w-0 max-w-full items-center gap-1.5 rounded-md border border-line bg-raised px-2 text-small whitespace-nowrap hover:bg-hover aria-expanded:bg-hover ${className}`}
      >
        {button}
        <Icon name="chevron-down" sizePx={11} />
      </Button>
      <Popover
        placement="bottom start"
        className="max-h-[70dvh] max-w-[min(44rem,calc(100vw-2rem))] overflow-auto rounded-md border border-line bg-raised p-3 shadow-[0_8px_24px_var(--shadow)]"
      >
        <Dialog aria-label={label} className="flex flex-col gap-3 text-small outline-none">
          {children}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
