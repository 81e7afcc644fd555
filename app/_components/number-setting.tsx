'use client';

import { type KeyboardEvent, useEffect, useState } from 'react';

interface NumberSettingProps {
  readonly text: string;
  /** The accessible name, which is unique on the page. */
  readonly label: string;
  readonly unit?: string;
  /** null: not reported. */
  readonly value: number | null;
  /** Shown for null. */
  readonly placeholder?: string;
  readonly min?: number;
  readonly max: number;
  readonly isPending?: boolean;
  /** Called on Enter, on blur, and by the arrow keys. */
  readonly onSet: (value: number) => void;
}

/** Text that is not a whole number is replaced by the value. */
export function NumberSetting(props: NumberSettingProps) {
  const { text, label, unit, value, placeholder = 'none', min = 0, max, isPending = false, onSet } = props;
  const written = value === null ? '' : String(value);
  const [typed, setTyped] = useState(written);
  useEffect(() => setTyped(written), [written]);

  function set(next: number): void {
    const bounded = Math.min(max, Math.max(min, next));
    setTyped(Number.isNaN(bounded) ? written : String(bounded));
    if (!Number.isNaN(bounded) && bounded !== value) onSet(bounded);
  }
  const take = () => set(Math.round(Number(typed.trim() === '' ? Number.NaN : typed)));
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Enter') take();
    else if (event.key === 'ArrowUp') set((value ?? min - 1) + 1);
    else if (event.key === 'ArrowDown') set((value ?? min + 1) - 1);
    else return;
    event.preventDefault();
  }

  return (
    <label className="note inline-flex items-center gap-1.5">
      {text}
      <input
        inputMode="numeric"
        aria-label={label}
        value={typed}
        placeholder={placeholder}
        autoComplete="off"
        disabled={isPending}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={take}
        onKeyDown={onKeyDown}
        className="h-6.5 w-14 rounded-md border border-line-strong/60 bg-raised px-1.5 text-right font-mono text-text disabled:opacity-50"
      />
      {unit}
    </label>
  );
}
