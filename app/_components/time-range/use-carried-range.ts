'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useState } from 'react';
import { findPageRange } from '../../_hooks/page-range';

/**
 * For links of the navigation: adds the chosen time range to the address of a page that has one. The range of the last page
 * with a time range is kept while others are shown.
 */
export function useCarriedRange(): (href: string) => string {
  const search = useSearchParams();
  const hasRange = findPageRange(usePathname()) !== null;
  const query = new URLSearchParams(
    ['from', 'to'].flatMap((name) => {
      const value = search.get(name) ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  ).toString();
  const [kept, setKept] = useState(query);
  if (hasRange && kept !== query) setKept(query);
  const carried = hasRange ? query : kept;
  return (href) => (carried === '' || findPageRange(href) === null ? href : `${href}?${carried}`);
}
