import type { ChildNumbers, PriorityLocalities } from './child-numbers';

/**
 * Node: a priority takes the number of the highest old priority, at its own index or below, that had any of its
 * localities. A locality that moves to a lower priority therefore never keeps its number.
 */
export function nextNodeNumbers(before: ChildNumbers | null, localities: PriorityLocalities): ChildNumbers {
  const priorityOf = new Map<string, number>();
  before?.localities.forEach((members, priority) => {
    for (const key of members) priorityOf.set(key, priority);
  });
  const used = new Set<number>();
  let next = before?.next ?? 0;
  const numbers = localities.map((members, priority) => {
    let oldest = Number.POSITIVE_INFINITY;
    for (const key of members) {
      const old = priorityOf.get(key);
      if (old !== undefined && old >= priority && old < oldest) oldest = old;
    }
    const kept = before?.numbers[oldest];
    const number = kept === undefined || used.has(kept) ? next++ : kept;
    used.add(number);
    return number;
  });
  return { numbers, localities, next };
}
