'use client';

import type { SplitPart } from '@/lib/lb/split-part';
import { SelectField } from './select-field';

interface SplitPartFieldProps {
  readonly value: SplitPart;
  readonly onChange: (part: SplitPart) => void;
}

/** Whether the shares of localities or of endpoints are compared. */
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
