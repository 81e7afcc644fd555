'use client';

import { useEffect, useState } from 'react';

const attribute = 'data-hinted';

/** Marks the first element that matches as long as the caller is shown, and scrolls it into view once. */
export function useMarkedElement(selector: string): Element | null {
  const [element, setElement] = useState<Element | null>(null);
  useEffect(() => {
    let marked: Element | null = null;
    const mark = () => {
      const found = document.querySelector(selector);
      if (found === marked && (found === null || found.hasAttribute(attribute))) return;
      if (marked === null) found?.scrollIntoView({ block: 'center' });
      marked?.removeAttribute(attribute);
      found?.setAttribute(attribute, '');
      marked = found;
      setElement(found);
    };
    mark();
    // The element may be rendered later, and replaced.
    const observer = new MutationObserver(mark);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      marked?.removeAttribute(attribute);
    };
  }, [selector]);
  return element;
}
