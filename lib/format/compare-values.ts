import { compareNames } from './compare-names';

/** The order of values of a sortable column, in the browser and on the server alike: numbers by size, texts as names. */
export function compareValues(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return compareNames(String(a), String(b));
}
