'use client';

import { useState } from 'react';

interface NumberBoxProps {
  /** The accessible name; shown if `text` is absent. */
  readonly label: string;
  readonly text?: string;
  /** null: not reported. */
  readonly value: number | null;
  readonly least: number;
  readonly most: number;
  readonly onChange: (value: number) => void;
}

/** A field for a whole number, committed on Enter and blur. Invalid values are ignored. */
export function NumberBox({ label, text = label, value, least, most, onChange }: NumberBoxProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? (value === null ? '' : String(value));

  function take() {
    const number = typed === null || typed.trim() === '' ? Number.NaN : Number(typed);
    setTyped(null);
    if (Number.isInteger(number) && number >= least && number <= most && number !== value) onChange(number);
  }

  return (
    <label className="inline-flex items-center gap-1.5 note">
      {text}
      <input
        aria-label={label}
        inputMode="numeric"
        value={shown}
        placeholder="none"
        onChange={({ target }) => setTyped(target.value)}
        onBlur={take}
        onKeyDown={({ key }) => {
          if (key === 'Enter') take();
        }}
        className="h-7 w-16 rounded-md border border-line-strong/60 bg-raised px-1.5 text-right text-text tabular-nums"
      />
    </label>
  );
}
