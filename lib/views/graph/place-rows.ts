import { maxIndex, mean, min, sum } from 'd3';
import type { Slot } from './layout-slot';

const siblingGapPx = 6;
const familyGapPx = 14;
const laneGapPx = 6;
const rounds = 6;

/**
 * Returns the centre of each slot, in CSS pixels, with the topmost edge at 0. Columns keep their order and gaps. Within
 * these, each slot is as close as possible (least squares) to the mean of the slots it is connected with.
 */
export function placeRows(columns: readonly (readonly Slot[])[]): Map<Slot, number> {
  const centre = new Map<Slot, number>();
  for (const column of columns) {
    let top = 0;
    column.forEach((slot, index) => {
      const above = column[index - 1];
      if (above !== undefined) top += gapBetween(above, slot);
      centre.set(slot, top + slot.heightPx / 2);
      top += slot.heightPx;
    });
  }
  // The highest column is fixed first; the others follow it outwards, then all are aligned in turn.
  const highest = maxIndex(columns, heightOf);
  for (const column of columns.slice(0, Math.max(0, highest)).reverse()) align(column, centre, childrenOf);
  for (const column of columns.slice(highest + 1)) align(column, centre, (slot) => slot.before);
  const both = (slot: Slot): readonly Slot[] => [...slot.before, ...childrenOf(slot)];
  for (let round = 0; round < rounds; round += 1) {
    for (const column of round % 2 === 0 ? columns : columns.toReversed()) align(column, centre, both);
  }
  // The last pass goes from right to left, so that parents are beside their children.
  for (const column of columns.toReversed()) {
    align(column, centre, (slot) => (slot.after.length > 0 ? childrenOf(slot) : slot.before));
  }

  const top = min(centre, ([slot, y]) => y - slot.heightPx / 2) ?? 0;
  return new Map([...centre].map(([slot, y]) => [slot, round(y - top)]));
}

/** Slots that it shares with others, as a secret of all clusters, do not move a slot away from those that it owns. */
function childrenOf(slot: Slot): readonly Slot[] {
  const owned = slot.after.filter(({ owner }) => owner === slot);
  return owned.length > 0 ? owned : slot.after;
}

function heightOf(column: readonly Slot[]): number {
  return sum(column, (slot) => slot.heightPx + siblingGapPx);
}

function gapBetween(above: Slot, below: Slot): number {
  if (above.node === null || below.node === null) return laneGapPx;
  return above.owner !== null && above.owner === below.owner ? siblingGapPx : familyGapPx;
}

/**
 * Moves a column's slots to the mean of their `guides`, as far as order and gaps allow. Without the minimum distances
 * that is an isotonic regression: neighbours that would overlap are joined into a block at their mean.
 */
function align(
  column: readonly Slot[],
  centre: Map<Slot, number>,
  guides: (slot: Slot) => readonly Slot[],
): void {
  interface Block {
    sum: number;
    count: number;
  }
  const blocks: Block[] = [];
  const offsets: number[] = [];
  column.forEach((slot, index) => {
    const above = column[index - 1];
    const distance = above === undefined ? 0 : (above.heightPx + slot.heightPx) / 2 + gapBetween(above, slot);
    const offset = (offsets[index - 1] ?? 0) + distance;
    offsets.push(offset);
    let block: Block = { sum: preferredCentre(slot, centre, guides(slot)) - offset, count: 1 };
    for (let last = blocks.at(-1); last !== undefined && meanOf(last) > meanOf(block); last = blocks.at(-1)) {
      blocks.pop();
      block = { sum: block.sum + last.sum, count: block.count + last.count };
    }
    blocks.push(block);
  });
  let index = 0;
  for (const block of blocks) {
    for (let nth = 0; nth < block.count; nth += 1, index += 1) {
      const slot = column[index];
      if (slot !== undefined) centre.set(slot, meanOf(block) + (offsets[index] ?? 0));
    }
  }

  function meanOf({ sum, count }: Block): number {
    return sum / count;
  }
}

function preferredCentre(slot: Slot, centre: ReadonlyMap<Slot, number>, guides: readonly Slot[]): number {
  return mean(guides, (guide) => centre.get(guide) ?? 0) ?? centre.get(slot) ?? 0;
}

/** Rounds to half pixels, which removes the rounding errors of the sums. */
function round(px: number): number {
  return Math.round(px * 2) / 2;
}
