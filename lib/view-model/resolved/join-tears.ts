import type { Tears } from '../../api/resolved';

type Tear = Tears['items'][number];

/**
 * Tears of two parts of one past as one answer: what was torn where the newer part begins is one tear with what lasted at
 * the end of the older one. What a client felt of it is as the newer part reports it.
 * Precondition: the older part ends where the newer one is listed from.
 */
export function joinTears(older: Tears, newer: Tears): Tears {
  const goesOn = new Map(
    newer.items.filter(({ fromAt }) => fromAt === newer.beginsAt).map((tear) => [keyOf(tear), tear]),
  );
  const joined = new Set<Tear>();
  const before = older.items.map((tear): Tear => {
    const rest = tear.toAt === null ? goesOn.get(keyOf(tear)) : undefined;
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

/** From when on tears are listed: of very many in one part only the newest are. null: all of them are. */
export function tearsListedFrom({ items, total, beginsAt, hasOlder }: Tears): string | null {
  const [first] = items;
  if (items.length < total && first !== undefined) return first.fromAt;
  return hasOlder ? beginsAt : null;
}

function keyOf({ kind, resources }: Tear): string {
  return JSON.stringify([kind, resources.map(({ typeUrl, name }) => [typeUrl, name])]);
}
