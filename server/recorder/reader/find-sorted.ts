/** Where a number is in a sorted list; undefined: it is not. */
export function findSorted(list: Uint32Array, wanted: number): number | undefined {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return list[low] === wanted ? low : undefined;
}
