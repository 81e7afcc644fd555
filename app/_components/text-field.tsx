'use client';

import { FieldFrame, type FieldTexts } from './field-frame';

interface TextFieldProps extends FieldTexts {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly isMono?: boolean;
  /** The first field of what was opened to type. */
  readonly takesFocus?: boolean;
  readonly className?: string;
}

/** The function belongs to the module, so that React calls it once for an element. */
const focus = (element: HTMLInputElement | null): void => element?.focus();

export function TextField({
  value,
  onChange,
  placeholder,
  isRequired = false,
  isMono = false,
  takesFocus = false,
  ...texts
}: TextFieldProps) {
  return (
    <FieldFrame {...texts}>
      {(attributes) => (
        <input
          {...attributes}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          aria-required={isRequired || undefined}
          ref={takesFocus ? focus : undefined}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          className={`h-8 rounded-md border border-line-strong bg-raised px-2.5 placeholder:text-muted aria-invalid:border-nacked ${isMono ? 'font-mono text-medium' : ''}`}
        />
      )}
    </FieldFrame>
  );
}
