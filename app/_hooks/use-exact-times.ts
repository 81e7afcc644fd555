'use client';

import { useSyncExternalStore } from 'react';
import { StoredSwitch } from './stored-switch';

const exact = new StoredSwitch('xdscope-exact-times', 'yes');

/**
 * Returns whether times are shown as clock times and not as ages, whose exact times keyboard and touch users cannot
 * reveal by hovering.
 */
export function useExactTimes(): readonly [boolean, (next: boolean) => void] {
  return [useSyncExternalStore(exact.subscribe, exact.isOn, () => false), exact.set];
}
