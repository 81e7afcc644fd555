'use client';

import { useSyncExternalStore } from 'react';

/** `system` follows prefers-color-scheme. */
export type Theme = 'system' | 'light' | 'dark';

/** public/theme.js reads it before the first paint. */
const storageKey = 'xdscope-theme';
const listeners = new Set<() => void>();

function readTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

function subscribe(listener: () => void): () => void {
  // A change in another browser tab applies here as well.
  const follow = (event: StorageEvent) => {
    if (event.key === storageKey) showTheme(event.newValue === null ? 'system' : (event.newValue as Theme));
  };
  listeners.add(listener);
  addEventListener('storage', follow);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', follow);
  };
}

function showTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'light' || theme === 'dark') dataset.theme = theme;
  else delete dataset.theme;
  for (const listener of listeners) listener();
}

function setTheme(theme: Theme): void {
  showTheme(theme);
  try {
    if (theme === 'system') localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, theme);
  } catch {
    // If storage is blocked, the choice lasts as long as the page.
  }
}

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore(subscribe, readTheme, () => 'system' as const);
  return [theme, setTheme];
}
