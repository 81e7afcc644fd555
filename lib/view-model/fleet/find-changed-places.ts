import type { FleetMember } from './fleet-member';

/** Above it all is made anew: that takes no longer. */
const mostChanged = 1 / 4;

/** Where other objects stand now; undefined: too many, or not the same clients in the same order. */
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
