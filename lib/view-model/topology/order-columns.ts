import type { Slot } from './layout-slot';

/**
 * Puts each column in order, from left to right (in place). The first column keeps the order given, by name. What has
 * an owner stands in the owner's order, and among its siblings in the order given: routes as they are tried, endpoints
 * by address. All else stands at the barycentre of what leads to it.
 *
 * One pass, and none back from right to left: that would trade the order of names and of first match for a few
 * crossings less. With a previous order, what is free to move keeps its place among those that were there before.
 */
export function orderColumns(columns: readonly Slot[][], previous: ReadonlyMap<string, number>): void {
  const placeOf = new Map<Slot, Place>();
  for (const column of columns) {
    const keys = new Map(column.map((slot) => [slot, keyOf(slot, placeOf)]));
    column.sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0) || a.given - b.given || compareIds(a, b));
    if (previous.size > 0) keepOrder(column, previous);
    column.forEach((slot, index) => {
      placeOf.set(slot, { middle: (index + 0.5) / column.length, share: 1 / column.length });
    });
  }
}

/** In its column, from 0 to 1. */
interface Place {
  readonly middle: number;
  readonly share: number;
}

function keyOf(slot: Slot, placeOf: ReadonlyMap<Slot, Place>): number {
  if (slot.column === 0) return 0;
  if (slot.owner !== null) return placeOf.get(slot.owner)?.middle ?? 0;
  const leading = slot.before;
  // What nothing leads to stands below all else.
  if (leading.length === 0) return 2;
  return leading.reduce((sum, lead) => sum + portOf(lead, slot), 0) / leading.length;

  /** Where an edge leaves: a weighted route's clusters and an aggregate's leaves stand in the config's order. */
  function portOf(lead: Slot, to: Slot): number {
    const { middle, share } = placeOf.get(lead) ?? { middle: 0, share: 0 };
    return middle + ((lead.after.indexOf(to) + 0.5) / lead.after.length - 0.5) * share;
  }
}

/** A lane and a node never have the same id. */
function compareIds(a: Slot, b: Slot): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/**
 * Brings those that are free to move and were there before back into their previous order. They take the places that
 * such slots have in the fresh order, so that new and owned ones stay where they belong.
 */
function keepOrder(column: Slot[], previous: ReadonlyMap<string, number>): void {
  const isKept = (slot: Slot): boolean => slot.owner === null && slot.column > 0 && previous.has(slot.id);
  const kept = column.filter(isKept);
  kept.sort((a, b) => (previous.get(a.id) ?? 0) - (previous.get(b.id) ?? 0));
  let next = 0;
  for (const [index, slot] of column.entries()) {
    if (!isKept(slot)) continue;
    const back = kept[next];
    if (back !== undefined) column[index] = back;
    next += 1;
  }
}
