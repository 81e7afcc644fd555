import type { Slot } from './layout-slot';

const siblingGapPx = 6;
const familyGapPx = 14;
const laneGapPx = 6;
const rounds = 6;

/**
 * The centre of each slot, in CSS pixels, the topmost edge at 0. Columns keep their order and gaps; within that, each
 * slot comes as close as it can to the middle of what it is connected with (least squares), so that a parent stands
 * beside the middle of its children.
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
  const fullest = columns.reduce((best, column, index) => {
    return heightOf(column) > heightOf(columns[best] ?? []) ? index : best;
  }, 0);
  // The fullest column stands; the others follow it outwards, then all settle.
  for (let index = fullest - 1; index >= 0; index -= 1)
    settle(columns[index] ?? [], centre, (slot) => slot.after);
  for (let index = fullest + 1; index < columns.length; index += 1) {
    settle(columns[index] ?? [], centre, (slot) => slot.before);
  }
  const both = (slot: Slot): readonly Slot[] => [...slot.before, ...slot.after];
  for (let round = 0; round < rounds; round += 1) {
    for (const column of round % 2 === 0 ? columns : columns.toReversed()) settle(column, centre, both);
  }
  // Last, from the right, so that parents stand beside their children.
  for (const column of columns.toReversed()) {
    settle(column, centre, (slot) => (slot.after.length > 0 ? slot.after : slot.before));
  }

  let top = Number.POSITIVE_INFINITY;
  for (const [slot, y] of centre) top = Math.min(top, y - slot.heightPx / 2);
  return new Map([...centre].map(([slot, y]) => [slot, round(y - top)]));
}

function heightOf(column: readonly Slot[]): number {
  return column.reduce((sum, slot) => sum + slot.heightPx + siblingGapPx, 0);
}

function gapBetween(above: Slot, below: Slot): number {
  if (above.node === null || below.node === null) return laneGapPx;
  return above.owner !== null && above.owner === below.owner ? siblingGapPx : familyGapPx;
}

/**
 * Moves a column's slots to the mean of their `guides`, as far as order and gaps allow. With the least distances taken
 * off, that is an isotonic regression: neighbours that would overlap join into a block, which takes its mean.
 */
function settle(
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
    let block: Block = { sum: wish(slot, centre, guides(slot)) - offset, count: 1 };
    for (let last = blocks.at(-1); last !== undefined && mean(last) > mean(block); last = blocks.at(-1)) {
      blocks.pop();
      block = { sum: block.sum + last.sum, count: block.count + last.count };
    }
    blocks.push(block);
  });
  let index = 0;
  for (const block of blocks) {
    for (let nth = 0; nth < block.count; nth += 1, index += 1) {
      const slot = column[index];
      if (slot !== undefined) centre.set(slot, mean(block) + (offsets[index] ?? 0));
    }
  }

  function mean({ sum, count }: Block): number {
    return sum / count;
  }
}

function wish(slot: Slot, centre: ReadonlyMap<Slot, number>, guides: readonly Slot[]): number {
  const own = centre.get(slot) ?? 0;
  if (guides.length === 0) return own;
  return guides.reduce((sum, guide) => sum + (centre.get(guide) ?? 0), 0) / guides.length;
}

/** To half pixels: crisp, and stable against noise in the sums. */
function round(px: number): number {
  return Math.round(px * 2) / 2;
}
