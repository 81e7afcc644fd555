'use client';

import { useEffect, useState } from 'react';

/** Returns the value once it has been stable for `pauseMs`, so that typing does not cause a request per keystroke. */
export function useDebounced<T>(value: T, pauseMs: number): T {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return debounced;
}
