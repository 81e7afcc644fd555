'use client';

import { type ReactNode, useId } from 'react';

interface SelectFieldProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string; readonly text?: string }[];
  readonly onChange: (value: T) => void;
  /** Replaces the description of the chosen option. */
  readonly description?: ReactNode;
  /** Why the value was rejected; empty or undefined if it was not. */
  readonly error?: string | undefined;
  readonly className?: string;
}

export function SelectField<T extends string>(props: SelectFieldProps<T>) {
  const { label, value, options, onChange, error = '', className = '' } = props;
  const id = useId();
  const chosen = options.find((option) => option.value === value);
  const description = props.description ?? chosen?.text;
  return (
    <div className={`flex min-w-0 flex-col gap-1 ${className}`}>
      <label htmlFor={id} className="note font-medium">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => {
          const next = options.find((option) => option.value === event.target.value);
          if (next !== undefined) onChange(next.value);
        }}
        aria-describedby={`${id}-text ${id}-error`}
        aria-invalid={error !== '' || undefined}
        className="h-8 w-full rounded-md border border-line-strong bg-raised px-2 aria-invalid:border-nacked"
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {description !== undefined && (
        <p id={`${id}-text`} className="note">
          {description}
        </p>
      )}
      {error !== '' && (
        <p id={`${id}-error`} className="text-small break-words text-nacked">
          {error}
        </p>
      )}
    </div>
  );
}
