'use client';

import { usePathname } from 'next/navigation';
import { useState } from 'react';
import { findPageRange } from '../../_hooks/page-range';
import { useTimeRange } from '../../_hooks/use-time-range';

/**
 * For links of the navigation: adds the chosen time range to the address of a page that has one. The range of the last page
 * with a time range is kept while others are shown.
 */
export function useCarriedRange(): (href: string) => string {
  // Not useSearchParams(): it changes later than the URL, and a click in between would keep the earlier range.
  const { urlRange } = useTimeRange();
  const hasRange = findPageRange(usePathname()) !== null;
  const query = new URLSearchParams(Object.entries(urlRange).filter(([, value]) => value !== '')).toString();
  const [kept, setKept] = useState(query);
  if (hasRange && kept !== query) setKept(query);
  const carried = hasRange ? query : kept;
  return (href) => (carried === '' || findPageRange(href) === null ? href : `${href}?${carried}`);
}
