import type { FieldDiff, ItemDiff, LeafDiff, ListDiff, ValueDiff } from './value-diff';

/** The diff in the other direction. */
export function invertDiff(diff: ValueDiff): ValueDiff {
  if (diff.kind === 'leaf') return invertLeaf(diff);
  if (diff.kind === 'list') return invertList(diff);
  return { ...diff, fields: diff.fields.map(invertField) };
}

function invertField({ name, formerly, diff }: FieldDiff): FieldDiff {
  const inverted = invertDiff(diff);
  return formerly === undefined
    ? { name, diff: inverted }
    : { name: formerly, formerly: name, diff: inverted };
}

function invertLeaf({ before, after, ...rest }: LeafDiff): LeafDiff {
  return {
    ...rest,
    ...(after !== undefined && { before: after }),
    ...(before !== undefined && { after: before }),
  };
}

function invertList(diff: ListDiff): ListDiff {
  const { items, order, leftLength, rightLength } = diff;
  const inverted = order && new Array<number>(leftLength).fill(-1);
  for (const [right, left] of order?.entries() ?? []) if (inverted && left !== -1) inverted[left] = right;
  return {
    ...diff,
    items: items.map(invertItem),
    order: inverted,
    leftLength: rightLength,
    rightLength: leftLength,
  };
}

function invertItem({ left, right, diff, ...rest }: ItemDiff): ItemDiff {
  return { ...rest, left: right, right: left, diff: diff && invertDiff(diff) };
}
