import { type RefObject, useEffect, useRef } from 'react';

const besidePx = 24;

/**
 * Scrolls the current link of a horizontally scrolling row into view, with a part of the next one, and again when a link
 * grows or the row shrinks, until the user scrolls the row. The page itself is not scrolled. `current` changes with the current link.
 */
export function useCurrentLinkVisible(current: string): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: which link it is, is in the document.
  useEffect(() => {
    const element = row.current;
    if (element === null) return;
    const sizes = new ResizeObserver(() => showCurrent(element));
    for (const link of [element, ...element.children]) sizes.observe(link);
    const leave = () => sizes.disconnect();
    element.addEventListener('pointerdown', leave);
    element.addEventListener('wheel', leave, { passive: true });
    return () => {
      leave();
      element.removeEventListener('pointerdown', leave);
      element.removeEventListener('wheel', leave);
    };
  }, [current]);
  return row;
}

function showCurrent(row: HTMLElement): void {
  const link = row.querySelector('[aria-current="page"]');
  if (link === null) return;
  const seen = row.getBoundingClientRect();
  const { left, right } = link.getBoundingClientRect();
  if (left < seen.left) row.scrollLeft -= seen.left - left + besidePx;
  else if (right > seen.right) row.scrollLeft += right - seen.right + besidePx;
}
