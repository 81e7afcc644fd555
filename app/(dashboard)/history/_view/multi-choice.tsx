'use client';

import type { ReactNode } from 'react';
import { Icon } from '@/app/_components/icon';
import { PopoverButton } from '@/app/_components/popover-button';

interface MultiChoiceProps<Value extends string> {
  readonly label: string;
  readonly options: readonly { readonly value: Value; readonly label: ReactNode }[];
  /** Empty: all. */
  readonly value: readonly Value[];
  readonly onChange: (value: readonly Value[]) => void;
}

export function MultiChoice<Value extends string>({
  label,
  options,
  value,
  onChange,
}: MultiChoiceProps<Value>) {
  const reported = value.length === 0 ? 'all' : value.length === 1 ? value[0] : `${value.length} chosen`;
  return (
    <div className="flex flex-col gap-0.5 text-tiny text-muted">
      <span aria-hidden="true">{label}</span>
      <PopoverButton
        label={label}
        buttonLabel={`${label}: ${reported}`}
        button={<span className="truncate">{reported}</span>}
        className={`h-7 max-w-40 gap-1 rounded-md px-2 text-small text-text ${value.length === 0 ? 'border-line-strong' : 'border-accent'}`}
        popoverClassName="p-1"
      >
        <div className="flex flex-col gap-0.5">
          {options.map((option) => {
            const isIn = value.includes(option.value);
            return (
              <button
                key={option.value}
                type="button"
                aria-pressed={isIn}
                onClick={() => {
                  const others = value.filter((other) => other !== option.value);
                  onChange(isIn ? others : [...others, option.value]);
                }}
                className="group flex h-7 items-center gap-2 rounded px-2 text-left text-small hover:bg-hover aria-pressed:bg-accent-soft"
              >
                <span className="invisible group-aria-pressed:visible">
                  <Icon name="check" sizePx={12} />
                </span>
                {option.label}
              </button>
            );
          })}
        </div>
      </PopoverButton>
    </div>
  );
}
