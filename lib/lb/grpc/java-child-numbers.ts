import type { ChildNumbers, PriorityLocalities } from './child-numbers';

/** Java: priorities in order, each takes the first number of its localities that is not taken; numbers begin at 1. */
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
