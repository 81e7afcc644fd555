'use client';

import { type RefObject, useEffect } from 'react';

/** Ctrl-F or Cmd-F inside the element searches what it shows; outside, the browser's own search stays. */
export function useFindKey(element: RefObject<HTMLElement | null>, find: () => boolean): void {
  useEffect(() => {
    const target = element.current;
    if (target === null) return;
    function onKeyDown(event: KeyboardEvent) {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'f') return;
      if (find()) event.preventDefault();
    }
    target.addEventListener('keydown', onKeyDown);
    return () => target.removeEventListener('keydown', onKeyDown);
  }, [element, find]);
}
