'use client';

import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Icon } from './icon';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly widthPx?: number;
}

/** A modal dialog; Escape and a click outside close it. */
export function Dialog({ title, isOpen, onClose, children, widthPx = 480 }: DialogProps) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      isDismissable
      className="fixed inset-0 z-50 flex items-start justify-center overflow-y-auto bg-black/40 p-4 pt-[10vh]"
    >
      <Modal
        className="w-full rounded-xl border border-line bg-raised shadow-[0_16px_48px_var(--shadow)]"
        style={{ maxWidth: widthPx }}
      >
        <AriaDialog className="flex flex-col gap-4 p-5 outline-none">
          <div className="flex items-center gap-3">
            <Heading slot="title" className="text-base font-semibold">
              {title}
            </Heading>
            <button
              type="button"
              aria-label="Close"
              onClick={onClose}
              className="ml-auto inline-flex size-8 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
            >
              <Icon name="close" />
            </button>
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
