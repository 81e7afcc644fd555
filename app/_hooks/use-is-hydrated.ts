'use client';

import { useSyncExternalStore } from 'react';

const subscribe = () => () => undefined;

/**
 * False on the server and in the first render of the browser. The frame of all pages asks its questions after that: a query that
 * exists when a page with its data is rendered gets that data only later, so that the HTML would lack it (HydrationBoundary).
 */
export function useIsHydrated(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  );
}
