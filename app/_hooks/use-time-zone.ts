'use client';

import { useSyncExternalStore } from 'react';
import { StoredSwitch } from './stored-switch';

const utc = new StoredSwitch('xdscope-time-zone', 'UTC');
let local: string | undefined;

/** The time zone of the browser; on the server that of the server. */
export function localTimeZone(): string {
  local ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return local;
}

export function setTimeZone(next: 'UTC' | 'local'): void {
  utc.set(next === 'UTC');
}

/** The time zone (IANA name) of all times on screen: UTC or that of the browser, as chosen in the header. */
export function useTimeZone(): string {
  return useSyncExternalStore(utc.subscribe, () => (utc.isOn() ? 'UTC' : localTimeZone()), localTimeZone);
}
