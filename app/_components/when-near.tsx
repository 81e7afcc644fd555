'use client';

import { type ReactNode, useEffect, useRef, useState } from 'react';

/** How far outside of the window content is rendered, so that it is there when it is scrolled to. */
const margin = '400px';

/** Renders its content, and loads the code of it, when it is in the window or near it. */
export function WhenNear({ children }: { readonly children: ReactNode }) {
  const holder = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (holder.current === null) return;
    const show: IntersectionObserverCallback = (entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
    };
    // The page scrolls in <main>, whose margin is not that of the window.
    const observer = new IntersectionObserver(show, {
      root: holder.current.closest('main'),
      rootMargin: margin,
    });
    observer.observe(holder.current);
    return () => observer.disconnect();
  }, []);
  return isNear ? children : <div ref={holder} className="size-full min-h-px" />;
}
