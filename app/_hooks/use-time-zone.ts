'use client';

import { useSyncExternalStore } from 'react';

const storageKey = 'xdscope-time-zone';
const listeners = new Set<() => void>();
let local: string | undefined;
/** undefined until the first use: then the value that the browser has stored. */
let isUtc: boolean | undefined;

/** The time zone of the browser; on the server that of the server. */
export function localTimeZone(): string {
  local ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return local;
}

function read(): string {
  if (isUtc === undefined) {
    try {
      isUtc = localStorage.getItem(storageKey) === 'UTC';
    } catch {
      isUtc = false; // Storage may be forbidden.
    }
  }
  return isUtc ? 'UTC' : localTimeZone();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export function setTimeZone(next: 'UTC' | 'local'): void {
  isUtc = next === 'UTC';
  try {
    if (isUtc) localStorage.setItem(storageKey, 'UTC');
    else localStorage.removeItem(storageKey);
  } catch {
    // The choice then lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

/** The time zone (IANA name) of all times on screen: UTC or that of the browser, as chosen in the header. */
export function useTimeZone(): string {
  return useSyncExternalStore(subscribe, read, localTimeZone);
}
