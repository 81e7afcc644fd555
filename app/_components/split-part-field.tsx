'use client';

import type { SplitPart } from '@/lib/lb/split-part';
import { SelectField } from './select-field';

interface SplitPartFieldProps {
  readonly value: SplitPart;
  readonly onChange: (part: SplitPart) => void;
}

/** Selects the parts whose shares are compared: localities or endpoints. */
export function SplitPartField({ value, onChange }: SplitPartFieldProps) {
  return (
    <SelectField
      className="w-32"
      label="Shares of"
      value={value}
      options={[
        { value: 'locality', label: 'localities' },
        { value: 'endpoint', label: 'endpoints' },
      ]}
      onChange={onChange}
    />
  );
}
