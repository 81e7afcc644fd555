import { itemsPerStep, type Steps } from './steps';

/** Returns a sorted copy, in steps. The sort is stable, and fast for sorted items. */
export function* sortInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += itemsPerStep) {
    runs.push(items.slice(from, from + itemsPerStep).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* mergeInSteps(runs[index] ?? [], runs[index + 1] ?? [], compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Merges sorted items. Of equal items those of `left` are first. */
function* mergeInSteps<T>(left: T[], right: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const [last, first] = [left.at(-1), right[0]];
  if (last === undefined || first === undefined || compare(last, first) <= 0) return left.concat(right);
  const merged: T[] = [];
  let [atLeft, atRight] = [0, 0];
  while (atLeft < left.length && atRight < right.length) {
    // The indexes are below the lengths.
    const [a, b] = [left[atLeft] as T, right[atRight] as T];
    if (compare(a, b) <= 0) {
      merged.push(a);
      atLeft += 1;
    } else {
      merged.push(b);
      atRight += 1;
    }
    if (merged.length % itemsPerStep === 0) yield;
  }
  for (; atLeft < left.length; atLeft++) merged.push(left[atLeft] as T);
  for (; atRight < right.length; atRight++) merged.push(right[atRight] as T);
  return merged;
}
