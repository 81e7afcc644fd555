'use client';

import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';

interface ModalProps {
  readonly 'aria-label'?: string;
  readonly 'aria-labelledby'?: string;
  readonly onClose: () => void;
  /** The class of the area around the content, which covers the page. */
  readonly className: string;
  readonly children: ReactNode;
}

/** A modal dialog in front of everything else; Escape and a click beside its content close it. */
export function Modal({ onClose, className, children, ...name }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isPressedOutside = useRef(false);
  // Content takes the focus only if the dialog is open when it is rendered.
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    setOpen(true);
    // Returns the focus to where it was.
    return () => element?.close();
  }, []);
  return createPortal(
    <dialog
      {...name}
      ref={dialog}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
      // The gesture of a phone that means Escape. A file field inside can be canceled as well.
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose();
      }}
      onPointerDown={({ target, currentTarget }) => {
        isPressedOutside.current = target === currentTarget;
      }}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget && isPressedOutside.current) onClose();
      }}
      className={`fixed inset-0 m-0 size-full max-h-none max-w-none items-start justify-center bg-black/40 text-text outline-none open:flex ${className}`}
    >
      {isOpen && children}
    </dialog>,
    document.body,
  );
}
