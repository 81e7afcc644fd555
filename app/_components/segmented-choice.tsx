'use client';

import { type ReactNode, useId } from 'react';

interface SegmentedChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: ReactNode }[];
  readonly onChange: (value: Value) => void;
}

/** Radio buttons side by side. Each input covers its label. */
export function SegmentedChoice<Value extends string>(props: SegmentedChoiceProps<Value>) {
  const { label, value, options, onChange } = props;
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className="inline-flex flex-wrap rounded-md border border-line bg-sunken p-0.5"
    >
      {options.map((option) => (
        <label
          key={option.value}
          className="relative inline-flex h-7 items-center rounded px-2 note whitespace-nowrap hover:text-text has-checked:bg-raised has-checked:font-medium has-checked:text-text has-checked:shadow-[0_1px_2px_var(--shadow)]"
        >
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="absolute inset-0 cursor-pointer appearance-none rounded"
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
