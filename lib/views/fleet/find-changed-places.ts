import type { FleetMember } from './fleet-member';

/** If a larger share of the clients changed, all are visited, which does not take longer. */
const mostChanged = 1 / 4;

/** Returns the indexes of other objects; undefined if they are too many, or if the clients or their order differ. */
export function findChangedPlaces(
  before: readonly FleetMember[],
  now: readonly FleetMember[],
): Set<number> | undefined {
  if (before.length !== now.length) return undefined;
  const changed = new Set<number>();
  for (let place = 0; place < now.length; place++) {
    const [was, is] = [before[place], now[place]];
    if (was === is) continue;
    if (was?.summary.id !== is?.summary.id || changed.size > now.length * mostChanged) return undefined;
    changed.add(place);
  }
  return changed;
}
