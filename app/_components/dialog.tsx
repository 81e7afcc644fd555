'use client';

import { type ReactNode, useId } from 'react';
import { CloseButton } from './close-button';
import { Modal } from './modal';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly widthPx?: number;
}

/** A modal dialog with a title. */
export function Dialog({ title, isOpen, onClose, children, widthPx = 480 }: DialogProps) {
  const titleId = useId();
  if (!isOpen) return null;
  return (
    <Modal
      aria-labelledby={titleId}
      onClose={onClose}
      className="overflow-y-auto overscroll-contain p-4 pt-[10vh]"
    >
      <div
        className="flex w-full flex-col gap-4 rounded-xl border border-line bg-raised p-5 shadow-[0_16px_48px_var(--shadow)]"
        style={{ maxWidth: widthPx }}
      >
        <div className="flex items-center justify-between gap-3">
          <h2 id={titleId} className="text-base font-semibold">
            {title}
          </h2>
          <CloseButton label="Close" onClose={onClose} />
        </div>
        {children}
      </div>
    </Modal>
  );
}
