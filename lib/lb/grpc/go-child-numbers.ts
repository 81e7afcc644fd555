import type { ChildNumbers, PriorityLocalities } from './child-numbers';

/** Go: a priority keeps its number if it can, else takes the number of another, else gets a new one. */
export function nextGoNumbers(before: ChildNumbers | null, localities: PriorityLocalities): ChildNumbers {
  const numberOf = new Map<string, number>();
  before?.localities.forEach((members, priority) => {
    const number = before.numbers[priority];
    if (number !== undefined) for (const key of members) numberOf.set(key, number);
  });
  const used = new Set<number>();
  const numbers = localities.map((members, priority): number | undefined => {
    const own = before?.numbers[priority];
    if (own === undefined || !members.some((key) => numberOf.get(key) === own)) return undefined;
    used.add(own);
    return own;
  });
  localities.forEach((members, priority) => {
    if (numbers[priority] !== undefined) return;
    const key = members.find((each) => {
      const number = numberOf.get(each);
      return number !== undefined && !used.has(number);
    });
    const number = key === undefined ? undefined : numberOf.get(key);
    if (number === undefined) return;
    used.add(number);
    numbers[priority] = number;
  });
  let next = before?.next ?? 0;
  return { numbers: numbers.map((number) => number ?? next++), localities, next };
}
