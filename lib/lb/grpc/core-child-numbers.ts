import type { ChildNumbers, PriorityLocalities } from './child-numbers';

/**
 * C-core: the first locality in sorted order that had a number gives it to its priority. Every other locality that
 * shared the number loses it, and so does every other locality of the priority. Keys must sort as (region, zone,
 * sub_zone) does.
 */
export function nextCoreNumbers(before: ChildNumbers | null, localities: PriorityLocalities): ChildNumbers {
  const numberOf = new Map<string, number>();
  const membersOf = new Map<number, Set<string>>();
  before?.localities.forEach((members, priority) => {
    const number = before.numbers[priority];
    if (number === undefined) return;
    const known = membersOf.get(number) ?? new Set();
    membersOf.set(number, known);
    for (const key of members) {
      numberOf.set(key, number);
      known.add(key);
    }
  });
  let next = before?.next ?? 0;
  const numbers = localities.map((members) => {
    let chosen: number | undefined;
    for (const key of [...members].sort(compare)) {
      if (chosen === undefined) {
        chosen = numberOf.get(key);
        if (chosen !== undefined) for (const old of membersOf.get(chosen) ?? []) numberOf.delete(old);
      } else numberOf.delete(key);
    }
    if (chosen !== undefined) return chosen;
    while (membersOf.has(next)) next += 1;
    membersOf.set(next, new Set());
    next += 1;
    return next - 1;
  });
  return { numbers, localities, next };
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
