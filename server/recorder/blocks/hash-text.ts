/** 32 bits of a text, for the file's indices: the function is part of the format. Never 0, which means "none". */
export function hashText(text: string, seed = 0): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0 || 1;
}

/** Names and versions are kept apart by their seeds. */
export const nameSeed = 0;
export const versionSeed = 0x5bd1e995;

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
