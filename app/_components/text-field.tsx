'use client';

import { FieldFrame, type FieldTexts } from './field-frame';

interface TextFieldProps extends FieldTexts {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly name?: string;
  readonly isRequired?: boolean;
  readonly isMono?: boolean;
  readonly autoFocus?: boolean;
  readonly className?: string;
}

export function TextField({
  value,
  onChange,
  placeholder,
  name,
  isRequired = false,
  isMono = false,
  autoFocus,
  ...texts
}: TextFieldProps) {
  return (
    <FieldFrame {...texts}>
      {(attributes) => (
        <input
          {...attributes}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          name={name}
          aria-required={isRequired || undefined}
          // biome-ignore lint/a11y/noAutofocus: the first field of what was opened to type
          autoFocus={autoFocus}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          className={`h-8 rounded-md border border-line-strong bg-raised px-2.5 placeholder:text-muted aria-invalid:border-nacked ${isMono ? 'font-mono text-medium' : ''}`}
        />
      )}
    </FieldFrame>
  );
}
