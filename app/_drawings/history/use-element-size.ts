'use client';

import { type RefObject, useLayoutEffect, useState } from 'react';

interface ElementSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** The inner size of an element; zero until it is measured. */
export function useElementSize(element: RefObject<HTMLElement | null>): ElementSize {
  const [size, setSize] = useState<ElementSize>({ widthPx: 0, heightPx: 0 });
  useLayoutEffect(() => {
    const target = element.current;
    if (target === null) return;
    const measure = () => {
      const { clientWidth: widthPx, clientHeight: heightPx } = target;
      setSize((before) =>
        before.widthPx === widthPx && before.heightPx === heightPx ? before : { widthPx, heightPx },
      );
    };
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    measure();
    return () => observer.disconnect();
  }, [element]);
  return size;
}
