'use client';

import type { Extent } from '../_hooks/query-keys';

import { Button } from './button';
import { TimeField } from './time-field';

interface TimeExtentProps {
  readonly extent: Extent;
  readonly onChange: (change: Partial<Extent>) => void;
}

export function TimeExtent({ extent: { from, to }, onChange }: TimeExtentProps) {
  return (
    <fieldset aria-label="Time" className="flex flex-wrap items-end gap-x-3 gap-y-1">
      <TimeField label="From" value={from} onChange={(next) => onChange({ from: next })} />
      <TimeField label="To" value={to} onChange={(next) => onChange({ to: next })} />
      {(from !== '' || to !== '') && (
        <Button tone="quiet" onPress={() => onChange({ from: '', to: '' })}>
          Clear time range
        </Button>
      )}
    </fieldset>
  );
}
