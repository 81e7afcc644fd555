import type { EpochMs } from '../../xds/units';
import type { Tears } from './tears-schema';

type Tear = Tears['items'][number];

/**
 * Joins the config tears of two adjacent time ranges. A tear that lasts beyond the end of the older range is one tear with that
 * of the newer one, which determines its impact. Precondition: the newer range is listed from the end of the older one.
 */
export function joinTears(older: Tears, newer: Tears): Tears {
  const goesOn = new Map(
    newer.items.filter(({ fromAt }) => fromAt === newer.beginsAt).map((tear) => [keyOf(tear), tear]),
  );
  const joined = new Set<Tear>();
  const before = older.items.map((tear): Tear => {
    const rest = tear.toAt === undefined ? goesOn.get(keyOf(tear)) : undefined;
    if (rest === undefined) return tear;
    joined.add(rest);
    return { ...rest, fromAt: tear.fromAt, durationMs: tear.durationMs + rest.durationMs };
  });
  return {
    ...newer,
    beginsAt: older.beginsAt,
    hasOlder: older.hasOlder,
    from: older.from,
    total: older.total + newer.items.length - joined.size,
    items: [...before, ...newer.items.filter((tear) => !joined.has(tear))],
  };
}

/** The time from which tears are listed; undefined if all are. */
export function tearsListedFrom({ items, total, beginsAt, hasOlder }: Tears): EpochMs | undefined {
  const [first] = items;
  if (items.length < total && first !== undefined) return first.fromAt;
  return hasOlder ? beginsAt : undefined;
}

function keyOf({ kind, resources }: Tear): string {
  return JSON.stringify([kind, resources.map(({ typeUrl, name }) => [typeUrl, name])]);
}
