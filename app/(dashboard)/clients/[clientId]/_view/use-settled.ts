'use client';

import { useEffect, useState } from 'react';

/** Returns the value once it has been stable for `pauseMs`, so that typing does not cause a request per keystroke. */
export function useSettled<T>(value: T, pauseMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}
