import type { GrpcClient } from '../../xds/profile';

/** The keys of the localities of each priority, in the order of the resource. The priorities are ascending. */
type PriorityLocalities = readonly (readonly string[])[];

/** State kept between two updates of one cluster. */
export interface ChildNumbers {
  readonly numbers: readonly number[];
  readonly localities: PriorityLocalities;
  /** The lowest number that has never been used. */
  readonly next: number;
}

/** Numbers the children of a priority policy as a client does, so that localities that move keep their connections. */
type NumberChildren = (before: ChildNumbers | null, localities: PriorityLocalities) => ChildNumbers;

export const numberChildren: Readonly<Record<GrpcClient, NumberChildren>> = {
  core: nextCoreNumbers,
  go: nextGoNumbers,
  java: nextJavaNumbers,
  node: nextNodeNumbers,
};

function numbersByLocality(before: ChildNumbers | null): Map<string, number> {
  const numberOf = new Map<string, number>();
  before?.localities.forEach((members, priority) => {
    const number = before.numbers[priority];
    if (number !== undefined) for (const key of members) numberOf.set(key, number);
  });
  return numberOf;
}

/**
 * C-core: the first locality in sorted order that had a number gives it to its priority. Every other locality that
 * shared the number loses it, and so does every other locality of the priority. Keys must sort as (region, zone,
 * sub_zone) does.
 */
function nextCoreNumbers(before: ChildNumbers | null, localities: PriorityLocalities): ChildNumbers {
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
    for (const key of [...members].sort()) {
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

/** Go: a priority keeps its number if it can, else takes the number of another, else gets a new one. */
function nextGoNumbers(before: ChildNumbers | null, localities: PriorityLocalities): ChildNumbers {
  const numberOf = numbersByLocality(before);
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

/** Java: in the order of priorities, each takes the first free number of its localities. Numbers begin at 1. */
function nextJavaNumbers(before: ChildNumbers | null, localities: PriorityLocalities): ChildNumbers {
  const numberOf = numbersByLocality(before);
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

/**
 * Node: a priority takes the number of the highest old priority, at its own index or below, that had any of its
 * localities. A locality that moves to a lower priority therefore never keeps its number.
 */
function nextNodeNumbers(before: ChildNumbers | null, localities: PriorityLocalities): ChildNumbers {
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
