import { by, inTurn } from '../../collections/compare';
import type { Slot } from './layout-slot';

/**
 * Orders each column in place, from left to right. The first column keeps the order given, by name. Slots with an owner
 * are in the owner's order, and among siblings in the order given: routes by precedence, endpoints by address. All other
 * slots are at the barycentre of their predecessors.
 *
 * There is no pass from right to left: it would trade the order of names and of first match for a few crossings less.
 * With a previous order, slots without an owner keep their place among those that were there before.
 */
export function orderColumns(columns: readonly Slot[][], previous: ReadonlyMap<string, number>): void {
  const placeOf = new Map<Slot, Place>();
  for (const column of columns) {
    const keys = new Map(column.map((slot) => [slot, keyOf(slot, placeOf)]));
    column.sort(
      inTurn(
        by((each) => keys.get(each) ?? 0),
        by(({ given }) => given),
        compareIds,
      ),
    );
    if (previous.size > 0) keepOrder(column, previous);
    column.forEach((slot, index) => {
      placeOf.set(slot, { middle: (index + 0.5) / column.length, share: 1 / column.length });
    });
  }
}

/** A slot's part of its column, from 0 to 1. */
interface Place {
  readonly middle: number;
  readonly share: number;
}

function keyOf(slot: Slot, placeOf: ReadonlyMap<Slot, Place>): number {
  if (slot.column === 0) return 0;
  if (slot.owner !== null) return placeOf.get(slot.owner)?.middle ?? 0;
  const leading = slot.before;
  // Slots without predecessors are below all others.
  if (leading.length === 0) return 2;
  return leading.reduce((sum, lead) => sum + portOf(lead, slot), 0) / leading.length;

  /** Where an edge leaves: the clusters of a weighted route and the leaves of an aggregate are in the config's order. */
  function portOf(lead: Slot, to: Slot): number {
    const { middle, share } = placeOf.get(lead) ?? { middle: 0, share: 0 };
    return middle + ((lead.after.indexOf(to) + 0.5) / lead.after.length - 0.5) * share;
  }
}

function compareIds(a: Slot, b: Slot): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/**
 * Brings the slots without an owner that were there before back into their previous order. They take the places that
 * such slots have in the new order, so that new and owned slots stay where they are.
 */
function keepOrder(column: Slot[], previous: ReadonlyMap<string, number>): void {
  const isKept = (slot: Slot): boolean => slot.owner === null && slot.column > 0 && previous.has(slot.id);
  const kept = column.filter(isKept);
  kept.sort(by((each) => previous.get(each.id) ?? 0));
  let next = 0;
  for (const [index, slot] of column.entries()) {
    if (!isKept(slot)) continue;
    const back = kept[next];
    if (back !== undefined) column[index] = back;
    next += 1;
  }
}
