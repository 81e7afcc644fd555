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
 * Text that depends on what time it is. One clock ticks for the whole page, and a component renders again only
 * when its own text became another one: "3 h ago" costs nothing for an hour.
 */
export function useClockText(format: (now: EpochMs) => string): string {
  const read = () => {
    // Nobody ticked yet: the module's clock may be as old as the page.
    if (timer === undefined) now = Date.now();
    return format(now);
  };
  return useSyncExternalStore(subscribe, read, read);
}
