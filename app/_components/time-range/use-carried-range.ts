'use client';

import { usePathname } from 'next/navigation';
import { useState } from 'react';
import { findPageRange } from '../../_hooks/page-range';
import { useTimeRange } from '../../_hooks/use-time-range';

/**
 * Adds the chosen time range to an address of the navigation whose page has one. The range of the last page with a
 * time range is kept while others are shown.
 */
export function useCarriedRange(): (href: string) => string {
  // useSearchParams() changes later than the URL, so that a click in between would keep the earlier range.
  const { urlRange } = useTimeRange();
  const hasRange = findPageRange(usePathname()) !== null;
  const query = new URLSearchParams(Object.entries(urlRange).filter(([, value]) => value !== '')).toString();
  const [kept, setKept] = useState(query);
  if (hasRange && kept !== query) setKept(query);
  const carried = hasRange ? query : kept;
  return (href) => (carried === '' || findPageRange(href) === null ? href : `${href}?${carried}`);
}
