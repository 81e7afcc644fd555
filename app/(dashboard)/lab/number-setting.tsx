'use client';

import { Group, Input, Label, NumberField } from 'react-aria-components';

interface NumberSettingProps {
  /** In front of the field. */
  readonly text: string;
  /** The accessible name, which is unique on the page. */
  readonly label: string;
  readonly unit?: string;
  readonly value: number;
  readonly max: number;
  readonly isPending: boolean;
  /** Called on Enter and on blur. */
  readonly onSet: (value: number) => void;
}

/** An inline field for a whole number >= 0. */
export function NumberSetting({ text, label, unit, value, max, isPending, onSet }: NumberSettingProps) {
  return (
    <NumberField
      aria-label={label}
      value={value}
      minValue={0}
      maxValue={max}
      step={1}
      formatOptions={{ useGrouping: false }}
      isDisabled={isPending}
      onChange={(next) => {
        if (!Number.isNaN(next) && next !== value) onSet(next);
      }}
      className="inline-flex items-center gap-1.5 note"
    >
      <Label>{text}</Label>
      <Group>
        <Input className="h-6.5 w-14 rounded-md border border-line-strong/60 bg-raised px-1.5 text-right font-mono text-text disabled:opacity-50" />
      </Group>
      {unit !== undefined && <span>{unit}</span>}
    </NumberField>
  );
}
