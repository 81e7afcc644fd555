'use client';

import { formatMiddleCut } from '@/lib/format/middle-cut';

interface MarkChoiceProps {
  /** Listener whose resolved config marks the graph; empty: nothing is marked. */
  readonly value: string;
  readonly listeners: readonly string[];
  readonly onChange: (listener: string) => void;
}

/** More are no choice but a scroll; the Resolved tab finds any of them. */
const mostListeners = 200;

/** Off, or the listener by whose resolved config the nodes are marked. */
export function MarkChoice({ value, listeners, onChange }: MarkChoiceProps) {
  const shown = listeners.slice(0, mostListeners);
  const isMissing = value !== '' && !shown.includes(value);
  if (listeners.length === 0 && value === '') return null;
  return (
    <label className="inline-flex h-8 min-w-0 items-center gap-1.5 rounded-md border border-line-strong/60 bg-raised pl-2.5 text-[0.9286rem] focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-focus">
      <span className="text-muted">Mark</span>
      <select
        value={value}
        onChange={(event) => onChange(event.target.value)}
        title={value === '' ? 'Marks what a resolved config uses, and what it ignores' : value}
        className="h-full max-w-56 min-w-0 cursor-pointer rounded-md bg-raised pr-1 outline-none"
      >
        <option value="">off</option>
        {isMissing && <option value={value}>{optionText(value)}</option>}
        {shown.map((listener) => (
          <option key={listener} value={listener}>
            {optionText(listener)}
          </option>
        ))}
      </select>
    </label>
  );
}

function optionText(listener: string): string {
  return `resolved of ${formatMiddleCut(listener, 48)}`;
}
