'use client';

import { formatCount } from '@/lib/format/count';
import { Button } from './button';

interface PagerProps {
  /** As in "clusters". */
  readonly label: string;
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
  readonly onChange: (offset: number) => void;
}

/** Paging of a list; nothing if all items are shown. */
export function Pager({ label, offset, limit, total, onChange }: PagerProps) {
  if (total <= limit && offset === 0) return null;
  const last = Math.min(total, offset + limit);
  return (
    <nav aria-label={`Pages of ${label}`} className="ml-auto flex items-center gap-1">
      <span className="mr-1 note whitespace-nowrap tabular-nums">
        {total === 0 ? '0' : `${formatCount(Math.min(offset + 1, total))}–${formatCount(last)}`} of{' '}
        {formatCount(total)}
      </span>
      <Button
        tone="quiet"
        label={`Previous page of ${label}`}
        isDisabled={offset === 0}
        onPress={() => onChange(Math.max(0, offset - limit))}
      >
        Previous
      </Button>
      <Button
        tone="quiet"
        label={`Next page of ${label}`}
        isDisabled={last >= total}
        onPress={() => onChange(offset + limit)}
      >
        Next
      </Button>
    </nav>
  );
}
