'use client';

import { useSyncExternalStore } from 'react';

const storageKey = 'xdscope-exact-times';
const listeners = new Set<() => void>();
/** undefined until the first use: then the value that the browser has stored. */
let isExact: boolean | undefined;

function read(): boolean {
  if (isExact === undefined) {
    try {
      isExact = localStorage.getItem(storageKey) === 'yes';
    } catch {
      isExact = false; // Storage may be forbidden.
    }
  }
  return isExact;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

function setExact(next: boolean): void {
  isExact = next;
  try {
    if (next) localStorage.setItem(storageKey, 'yes');
    else localStorage.removeItem(storageKey);
  } catch {
    // The choice then lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

/**
 * Returns whether times are shown as clock times and not as ages, whose exact times keyboard and touch users cannot
 * reveal by hovering.
 */
export function useExactTimes(): readonly [boolean, (next: boolean) => void] {
  return [useSyncExternalStore(subscribe, read, () => false), setExact];
}
