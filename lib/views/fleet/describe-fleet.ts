import { by, byDescending, inTurn } from '../../collections/compare';
import { itemsPerStep, type Steps } from '../../cooperative/steps';
import { compareTypeUrls } from '../../xds/resource-type';
import type { FleetMember } from './fleet-member';
import { type FleetCounts, FleetTally } from './fleet-tally';

const metadataKeysReported = 100;

export interface FleetDescription {
  readonly counts: FleetCounts;
  /** The type URLs in the fixed order of types. */
  readonly typeUrls: readonly string[];
  /** The most frequent keys first. */
  readonly metadataKeys: readonly { readonly key: string; readonly clients: number }[];
  /** The state from which the next description is built. */
  readonly made: Made;
}

interface Made {
  readonly all: readonly FleetMember[];
  readonly tally: FleetTally;
  readonly typeUrls: ReadonlyMap<string, number>;
  readonly keys: ReadonlyMap<string, number>;
}

/**
 * Describes the fleet in steps. With the previous description, only clients that are other objects since then are
 * visited.
 */
export function* describeFleet(
  members: readonly FleetMember[],
  before?: FleetDescription,
): Steps<FleetDescription> {
  const changed = before && findChangedPlaces(before.made.all, members);
  const begun = changed === undefined ? undefined : before?.made;
  const tally = new FleetTally(begun?.tally);
  const typeUrls = new Map(begun?.typeUrls);
  const keys = new Map(begun?.keys);
  const count = (member: FleetMember | undefined, by: 1 | -1): void => {
    if (member === undefined) return;
    if (by === 1) tally.add(member);
    else tally.remove(member);
    for (const { typeUrl } of member.summary.types) add(typeUrls, typeUrl, by);
    // A list of metadata has one entry with the same key for each element.
    for (const [at, [key]] of member.metadata.entries()) {
      if (member.metadata[at - 1]?.[0] !== key) add(keys, key, by);
    }
  };
  let counted = 0;
  for (const place of changed ?? members.keys()) {
    if (begun !== undefined) count(begun.all[place], -1);
    count(members[place], 1);
    if (counted++ % itemsPerStep === 0) yield;
  }
  return {
    counts: tally.counts,
    typeUrls: [...typeUrls.keys()].sort(compareTypeUrls),
    metadataKeys: [...keys]
      .map(([key, clients]) => ({ key, clients }))
      .sort(
        inTurn(
          byDescending(({ clients }) => clients),
          by(({ key }) => key),
        ),
      )
      .slice(0, metadataKeysReported),
    made: { all: members, tally, typeUrls, keys },
  };
}

function add(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

/** If a larger share of the clients changed, all are visited, which does not take longer. */
const mostChanged = 1 / 4;

/** Returns the indexes of other objects; undefined if they are too many, or if the clients or their order differ. */
function findChangedPlaces(
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
