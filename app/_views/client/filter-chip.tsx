'use client';

import type { ReactNode } from 'react';
import { formatCount } from '@/lib/format/count';

interface FilterChipProps {
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
  /** The number of rows under the other filters. */
  readonly count: number;
  readonly children: ReactNode;
}

export function FilterChip({ isSelected, onChange, count, children }: FilterChipProps) {
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      onClick={() => onChange(!isSelected)}
      className="inline-flex h-7 items-center gap-1.5 rounded-full border border-line bg-raised px-2.5 text-small whitespace-nowrap transition hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft"
    >
      {children}
      <span className="text-muted">{formatCount(count)}</span>
    </button>
  );
}
