import type { ChildNumbers, PriorityLocalities } from './child-numbers';

/** Java: in the order of priorities, each takes the first free number of its localities. Numbers begin at 1. */
export function nextJavaNumbers(before: ChildNumbers | null, localities: PriorityLocalities): ChildNumbers {
  const numberOf = new Map<string, number>();
  before?.localities.forEach((members, priority) => {
    const number = before.numbers[priority];
    if (number !== undefined) for (const key of members) numberOf.set(key, number);
  });
  const used = new Set<number>();
  let next = before?.next ?? 1;
  const numbers = localities.map((members) => {
    const known = members.map((key) => numberOf.get(key));
    const number = known.find((each) => each !== undefined && !used.has(each)) ?? next++;
    used.add(number);
    return number;
  });
  return { numbers, localities, next };
}
