'use client';

import { Group, Input, Label, NumberField } from 'react-aria-components';

interface NumberSettingProps {
  readonly text: string;
  /** The accessible name, which is unique on the page. */
  readonly label: string;
  readonly unit?: string;
  /** null: not reported. */
  readonly value: number | null;
  readonly min?: number;
  readonly max: number;
  readonly isPending?: boolean;
  /** Called on Enter and on blur. */
  readonly onSet: (value: number) => void;
}

export function NumberSetting(props: NumberSettingProps) {
  const { text, label, unit, value, min = 0, max, isPending = false, onSet } = props;
  return (
    <NumberField
      aria-label={label}
      value={value ?? Number.NaN}
      minValue={min}
      maxValue={max}
      step={1}
      formatOptions={{ useGrouping: false }}
      isDisabled={isPending}
      onChange={(next) => {
        if (!Number.isNaN(next) && next !== value) onSet(next);
      }}
      className="note inline-flex items-center gap-1.5"
    >
      <Label>{text}</Label>
      <Group>
        <Input
          placeholder="none"
          className="h-6.5 w-14 rounded-md border border-line-strong/60 bg-raised px-1.5 text-right font-mono text-text disabled:opacity-50"
        />
      </Group>
      {unit !== undefined && <span>{unit}</span>}
    </NumberField>
  );
}
