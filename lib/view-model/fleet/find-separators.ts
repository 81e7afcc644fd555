import { type FleetField, metadataPrefix } from '../../fleet/fleet-fields';
import { itemsPerStep, type Steps } from '../../steps/steps';
import { findPairs } from './find-pairs';
import { chanceOf, logFactorials } from './fisher-chance';
import type { FleetMember } from './fleet-member';
import type { Separator } from './separator';
import { fieldsOf } from './values-of-field';

/** Of a large group so many are looked at for what they may share; counted are all. */
const lookedAt = 500;
const separatorsReported = 5;
/** What the lot alone brings as easily reports nothing. */
const chanceReported = 0.4;

/** What some clients have, once for all that they are held against. */
export interface CountedValues {
  readonly clients: number;
  readonly members: readonly FleetMember[];
  /** By field and value: how many have it. */
  readonly counts: ReadonlyMap<string, number>;
}

export function* countValues(members: readonly FleetMember[]): Steps<CountedValues> {
  const counts = new Map<string, number>();
  for (const [index, member] of members.entries()) {
    for (const { key } of fieldsOf(member)) counts.set(key, (counts.get(key) ?? 0) + 1);
    if (index % itemsPerStep === 0) yield;
  }
  return { clients: members.length, members, counts };
}

/**
 * What the odd ones share and the others do not: the node field, metadata, locality, user agent or source whose value
 * at least half of the odd ones have, and relatively fewer of the others, more than the lot would bring; the least accidental first, then who is
 * rarest among the others.
 */
export function* findSeparators(odd: readonly FleetMember[], others: CountedValues): Steps<Separator[]> {
  if (odd.length === 0) return [];
  const shared = yield* findValues(odd.length <= lookedAt ? odd : everyNth(odd, lookedAt));
  // What one of several has is nothing that they share.
  const least = Math.max(Math.min(odd.length, lookedAt) / 2, odd.length > 1 ? 2 : 1);
  const wanted = new Map([...shared].filter(([, { inside }]) => inside >= least));
  for (const [key, found] of wanted) {
    found.inside = 0;
    found.outside = others.counts.get(key) ?? 0;
  }
  yield* countInside(wanted, odd);
  const factorials = yield* logFactorials(odd.length + others.clients);
  const separators = [...wanted.values()]
    .filter(({ inside, outside }) => inside * others.clients > outside * odd.length)
    .map(({ field, value, inside, outside }): Separator => {
      const counts = { inside, insideOf: odd.length, outside, outsideOf: others.clients };
      const chance = chanceOf(counts, factorials);
      return { field, value, and: null, ...counts, chance, isWeak: chance * shared.size > 0.05 };
    });
  const reported = separators.filter(({ chance }) => chance < chanceReported).sort(compareSeparators);
  const pairs = isSeparate(reported[0])
    ? []
    : yield* findPairs(odd, others.members, reported, { factorials, looked: shared.size });
  return [...pairs, ...reported].sort(compareSeparators).slice(0, separatorsReported);
}

function compareSeparators(a: Separator, b: Separator): number {
  return a.chance - b.chance || a.outside - b.outside || (fieldRank(a) < fieldRank(b) ? -1 : 1);
}

/** All of them have it, and nobody else. */
function isSeparate(best: Separator | undefined): boolean {
  return best === undefined || (best.inside === best.insideOf && best.outside === 0);
}

interface Found {
  readonly field: FleetField;
  readonly value: string;
  inside: number;
  outside: number;
}

function* findValues(members: readonly FleetMember[]): Steps<Map<string, Found>> {
  const found = new Map<string, Found>();
  for (const [index, member] of members.entries()) {
    for (const { field, value, key } of fieldsOf(member)) {
      const known = found.get(key);
      if (known === undefined) found.set(key, { field, value, inside: 1, outside: 0 });
      else known.inside += 1;
    }
    if (index % itemsPerStep === 0) yield;
  }
  return found;
}

function* countInside(wanted: ReadonlyMap<string, Found>, members: readonly FleetMember[]): Steps<void> {
  for (const [index, member] of members.entries()) {
    for (const { key } of fieldsOf(member)) {
      const found = wanted.get(key);
      if (found !== undefined) found.inside += 1;
    }
    if (index % itemsPerStep === 0) yield;
  }
}

/** Of equals rather a field of the node than a key of its metadata. */
function fieldRank({ field, value }: Separator): string {
  return `${field.startsWith(metadataPrefix) ? 1 : 0}${field}\u0000${value}`;
}

function everyNth<T>(items: readonly T[], count: number): T[] {
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)] as T);
}
