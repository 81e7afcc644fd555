'use client';

import type { ReactNode } from 'react';
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';

interface SegmentedChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: ReactNode }[];
  readonly onChange: (value: Value) => void;
}

export function SegmentedChoice<Value extends string>(props: SegmentedChoiceProps<Value>) {
  const { label, value, options, onChange } = props;
  return (
    <ToggleButtonGroup
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const chosen = options.find((option) => keys.has(option.value));
        if (chosen !== undefined) onChange(chosen.value);
      }}
      className="inline-flex flex-wrap rounded-md border border-line bg-sunken p-0.5"
    >
      {options.map((option) => (
        <ToggleButton
          key={option.value}
          id={option.value}
          className="h-7 rounded px-2 note whitespace-nowrap hover:text-text data-[selected]:bg-raised data-[selected]:font-medium data-[selected]:text-text data-[selected]:shadow-[0_1px_2px_var(--shadow)]"
        >
          {option.label}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
