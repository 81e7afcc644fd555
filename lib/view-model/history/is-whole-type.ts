import type { HistoryEvent } from '../../api/history';

/** istiod reports the status of whole types: such a row has no name. Of other sources an empty name is a name. */
export function isWholeType(sourceKind: HistoryEvent['sourceKind'], name: string): boolean {
  return name === '' && sourceKind === 'istiod';
}
