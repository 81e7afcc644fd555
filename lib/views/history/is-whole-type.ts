import type { HistoryEvent } from './schema';

/** istiod reports the status of whole types in rows without a name. Other sources report the empty name as a name. */
export function isWholeType(sourceKind: HistoryEvent['sourceKind'], name: string): boolean {
  return name === '' && sourceKind === 'istiod';
}
