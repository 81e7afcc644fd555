'use client';

import type { ReactNode } from 'react';
import { Button, Dialog, DialogTrigger, Popover, ToggleButton } from 'react-aria-components';
import { Icon } from '@/app/_components/icon';

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
    <DialogTrigger>
      <div className="flex flex-col gap-0.5 text-tiny text-muted">
        <span aria-hidden="true">{label}</span>
        <Button
          aria-label={`${label}: ${reported}`}
          className={`inline-flex h-7 max-w-40 items-center gap-1 rounded-md border bg-raised px-2 text-small text-text hover:bg-hover ${value.length === 0 ? 'border-line-strong' : 'border-accent'}`}
        >
          <span className="truncate">{reported}</span>
          <Icon name="chevron-down" sizePx={11} />
        </Button>
      </div>
      <Popover className="max-h-80 overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-[0_4px_16px_var(--shadow)]">
        <Dialog aria-label={label} className="flex flex-col gap-0.5 outline-none">
          {options.map((option) => (
            <ToggleButton
              key={option.value}
              isSelected={value.includes(option.value)}
              onChange={(isIn) => {
                const others = value.filter((other) => other !== option.value);
                onChange(isIn ? [...others, option.value] : others);
              }}
              className="group flex h-7 items-center gap-2 rounded px-2 text-left text-small hover:bg-hover data-[selected]:bg-accent-soft"
            >
              <span className="invisible group-data-[selected]:visible">
                <Icon name="check" sizePx={12} />
              </span>
              {option.label}
            </ToggleButton>
          ))}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
