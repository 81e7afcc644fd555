'use client';

import type { ReactNode } from 'react';
import { TextField as AriaTextField, FieldError, Input, Label, Text } from 'react-aria-components';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly description?: ReactNode;
  /** Why the value was rejected; empty or undefined if it was not. */
  readonly error?: string;
  readonly placeholder?: string;
  readonly name?: string;
  readonly isRequired?: boolean;
  readonly isMono?: boolean;
  readonly autoFocus?: boolean;
  readonly className?: string;
}

export function TextField({
  label,
  value,
  onChange,
  description,
  error,
  placeholder,
  name,
  isRequired,
  isMono,
  autoFocus,
  className = '',
}: TextFieldProps) {
  const isInvalid = error !== undefined && error !== '';
  return (
    <AriaTextField
      value={value}
      onChange={onChange}
      name={name}
      isRequired={isRequired}
      isInvalid={isInvalid}
      validationBehavior="aria"
      autoFocus={autoFocus}
      className={`flex flex-col gap-1 ${className}`}
    >
      <Label className="note font-medium">{label}</Label>
      <Input
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        className={`h-8 rounded-md border border-line-strong bg-raised px-2.5 placeholder:text-muted data-[invalid]:border-nacked ${isMono === true ? 'font-mono text-medium' : ''}`}
      />
      {description !== undefined && (
        <Text slot="description" className="note">
          {description}
        </Text>
      )}
      <FieldError className="text-small break-words text-nacked">{error}</FieldError>
    </AriaTextField>
  );
}
