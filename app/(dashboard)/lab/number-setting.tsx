'use client';

import { Group, Input, Label, NumberField } from 'react-aria-components';

interface NumberSettingProps {
  /** In front of the box. */
  readonly text: string;
  /** What a screen reader says: which one of many. */
  readonly label: string;
  readonly unit?: string;
  readonly value: number;
  readonly max: number;
  readonly isPending: boolean;
  /** On Enter, or when the box is left. */
  readonly onSet: (value: number) => void;
}

/** A whole number from 0 on that can be changed in its line. */
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
      className="inline-flex items-center gap-1.5 text-[0.8571rem] text-muted"
    >
      <Label>{text}</Label>
      <Group>
        <Input className="h-6.5 w-14 rounded-md border border-line-strong/60 bg-raised px-1.5 text-right font-mono text-text disabled:opacity-50" />
      </Group>
      {unit !== undefined && <span>{unit}</span>}
    </NumberField>
  );
}
