'use client';

import { type ReactNode, useState } from 'react';
import { formatCount } from '@/lib/format/count';

/** The first items of a long list, and a button that shows more. */
export function useShowMore<T>(items: readonly T[], step: number): { shown: readonly T[]; more: ReactNode } {
  const [limit, setLimit] = useState(step);
  const rest = items.length - limit;
  const more = rest > 0 && (
    <button type="button" onClick={() => setLimit(limit + step)} className="min-h-6 text-small link-quiet">
      {formatCount(Math.min(step, rest))} more of {formatCount(items.length)}
    </button>
  );
  return { shown: items.slice(0, limit), more };
}
