'use client';

import { useSyncExternalStore } from 'react';
import type { EpochMs } from '@/lib/xds/units';

const tickMs = 1_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now: EpochMs = Date.now();

function tick() {
  now = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/**
 * A text that depends on the current time. One clock runs for the whole page, and a component renders again only when
 * its text changes: "3 h ago" costs nothing for an hour.
 */
export function useClockText(format: (now: EpochMs) => string): string {
  const read = () => {
    // The clock may have been stopped since the page was loaded.
    if (timer === undefined) now = Date.now();
    return format(now);
  };
  return useSyncExternalStore(subscribe, read, read);
}
