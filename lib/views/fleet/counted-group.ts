import { compareNames } from '../../format/compare-names';
import type { FleetCounts } from './fleet-tally';

export interface CountedGroup {
  /** The values, separated by commas; empty if none is reported. */
  readonly value: string;
  readonly counts: FleetCounts;
  /** Its clients, those included that `counts` leaves out. */
  readonly clients: number;
}

/** Groups in trouble first, then by size, then by value. */
export function compareGroups(a: CountedGroup, b: CountedGroup): number {
  const trouble = Number(b.counts.inTrouble > 0) - Number(a.counts.inTrouble > 0);
  return trouble || b.clients - a.clients || compareNames(a.value, b.value);
}
