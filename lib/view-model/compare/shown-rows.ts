/** Indexes of the rows of a tree that are in sight: what is below a closed one is not. */
export function shownRows(
  rows: readonly { readonly depth: number }[],
  closed: ReadonlySet<number>,
): number[] {
  const shown: number[] = [];
  let hiddenBelow = Number.POSITIVE_INFINITY;
  for (const [index, { depth }] of rows.entries()) {
    if (depth > hiddenBelow) continue;
    hiddenBelow = closed.has(index) ? depth : Number.POSITIVE_INFINITY;
    shown.push(index);
  }
  return shown;
}
