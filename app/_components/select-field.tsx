'use client';

import { FieldFrame, type FieldTexts } from './field-frame';

interface SelectFieldProps<T extends string> extends FieldTexts {
  readonly value: T;
  /** The text of the chosen option is the description of the field, unless it has its own. */
  readonly options: readonly { readonly value: T; readonly label: string; readonly text?: string }[];
  readonly onChange: (value: T) => void;
  readonly className?: string;
}

export function SelectField<T extends string>(props: SelectFieldProps<T>) {
  const { value, options, onChange, description, ...texts } = props;
  const chosen = options.find((option) => option.value === value);
  return (
    <FieldFrame {...texts} description={description ?? chosen?.text}>
      {(attributes) => (
        <select
          {...attributes}
          value={value}
          onChange={(event) => {
            const next = options.find((option) => option.value === event.target.value);
            if (next !== undefined) onChange(next.value);
          }}
          className="h-8 w-full rounded-md border border-line-strong bg-raised px-2 aria-invalid:border-nacked"
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  );
}
