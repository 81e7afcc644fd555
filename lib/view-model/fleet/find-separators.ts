import { metadataPrefix } from '../../fleet/fleet-fields';
import { itemsPerStep, type Steps } from '../../steps/steps';
import { findPairs } from './find-pairs';
import { chanceOf, logFactorials } from './fisher-chance';
import type { FleetMember } from './fleet-member';
import type { Separator } from './separator';
import { type FieldValue, fieldsOf } from './values-of-field';

/** The size of the sample in which shared values are searched. All clients are counted. */
const sampleSize = 500;
const separatorsReported = 5;
const chanceReported = 0.4;

export interface CountedValues {
  readonly members: readonly FleetMember[];
  /** By the key of the value. */
  readonly counts: ReadonlyMap<string, ValueCount>;
}

interface ValueCount extends FieldValue {
  count: number;
}

export function* countValues(members: readonly FleetMember[]): Steps<CountedValues> {
  const counts = new Map<string, ValueCount>();
  for (const [index, member] of members.entries()) {
    for (const field of fieldsOf(member)) {
      const known = counts.get(field.key);
      if (known === undefined) counts.set(field.key, { ...field, count: 1 });
      else known.count += 1;
    }
    if (index % itemsPerStep === 0) yield;
  }
  return { members, counts };
}

/**
 * Finds values that separate the odd clients from the others: values that at least half of the odd clients have, and
 * relatively fewer of the others, unless that is likely to be random. The least likely are first, then the rarest among
 * the others.
 */
export function* findSeparators(odd: readonly FleetMember[], others: CountedValues): Steps<Separator[]> {
  if (odd.length === 0) return [];
  const sample = yield* countValues(odd.length <= sampleSize ? odd : everyNth(odd, sampleSize));
  const compared = sample.counts.size;
  // A value that only one of several clients has is not shared.
  const least = Math.max(Math.min(odd.length, sampleSize) / 2, odd.length > 1 ? 2 : 1);
  const shared = [...sample.counts.values()].filter(({ count }) => count >= least);
  const all = odd.length <= sampleSize ? sample : yield* countValues(odd);
  const [insideOf, outsideOf] = [odd.length, others.members.length];
  const factorials = yield* logFactorials(insideOf + outsideOf);
  const reported = shared
    .map(({ field, value, key }): Separator => {
      const [inside, outside] = [all.counts.get(key)?.count ?? 0, others.counts.get(key)?.count ?? 0];
      const counts = { inside, insideOf, outside, outsideOf };
      const chance = chanceOf(counts, factorials);
      return { field, value, and: null, ...counts, chance, isWeak: chance * compared > 0.05 };
    })
    .filter(
      ({ inside, outside, chance }) => inside * outsideOf > outside * insideOf && chance < chanceReported,
    )
    .sort(compareSeparators);
  const pairs = isSeparate(reported[0])
    ? []
    : yield* findPairs(odd, others.members, reported, { factorials, compared });
  return [...pairs, ...reported].sort(compareSeparators).slice(0, separatorsReported);
}

function compareSeparators(a: Separator, b: Separator): number {
  return a.chance - b.chance || a.outside - b.outside || (fieldRank(a) < fieldRank(b) ? -1 : 1);
}

/** Whether all odd clients have the value, and no other client has. */
function isSeparate(best: Separator | undefined): boolean {
  return best === undefined || (best.inside === best.insideOf && best.outside === 0);
}

/** Prefers fields of the node to keys of its metadata. */
function fieldRank({ field, value }: Separator): string {
  return `${field.startsWith(metadataPrefix) ? 1 : 0}${field}\u0000${value}`;
}

function everyNth<T>(items: readonly T[], count: number): T[] {
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)] as T);
}
