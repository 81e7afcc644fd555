/** Returns a 32-bit hash, never 0, which means "none". The function is part of the file format. */
export function hashText(text: string, seed = 0): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0 || 1;
}

/** Different seeds give a name and a version with the same text different hashes. */
export const nameSeed = 0;
export const versionSeed = 0x5bd1e995;

export function findSorted(list: Uint32Array, wanted: number): number | undefined {
  const place = lowerBound(list.length, (index) => (list[index] ?? 0) < wanted);
  return list[place] === wanted ? place : undefined;
}

/** Returns the first index for which `isBefore` is false, or `length` if there is none. */
export function lowerBound(length: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
