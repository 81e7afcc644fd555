import { type RefObject, useEffect, useRef } from 'react';

const besidePx = 24;

/**
 * Brings the current link of a row that scrolls sideways into sight, and a little of what lies beyond it. The page
 * itself does not move. `current`: changes with what is current.
 */
export function useCurrentInSight(current: string): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: which link it is, is in the document.
  useEffect(() => {
    const link = row.current?.querySelector('[aria-current="page"]');
    if (row.current === null || !link) return;
    const seen = row.current.getBoundingClientRect();
    const { left, right } = link.getBoundingClientRect();
    if (left < seen.left) row.current.scrollLeft -= seen.left - left + besidePx;
    else if (right > seen.right) row.current.scrollLeft += right - seen.right + besidePx;
  }, [current]);
  return row;
}
