import { itemsPerStep, type Steps } from '../../cooperative/steps';
import { metadataPrefix } from '../../fleet/fleet-fields';
import type { FleetMember } from './fleet-member';
import type { Separator } from './separator';
import { type FieldValue, fieldsOf } from './values-of-field';

/** The size of the sample in which shared values are searched. All clients are counted. */
const sampleSize = 500;
const separatorsReported = 5;
const chanceReported = 0.4;

export interface CountedValues {
  readonly members: readonly FleetMember[];
  /** The counts by the key of the value. */
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
      return { field, value, and: undefined, ...counts, chance, isWeak: chance * compared > 0.05 };
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

/** Returns true if all odd clients have the value, and no other client has it. */
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

/** The number of the best single values that are combined. */
const tried = 6;

/** Pairs are searched if there are not more odd clients than this. */
const mostOdd = 2_000;

/** The factor by which a pair must be less likely than the better of its values. */
const clearlyBetter = 20;

interface PairOptions {
  readonly factorials: Float64Array;
  readonly compared: number;
}

/**
 * Finds two values that only together separate the odd clients, as zone=a and version=v2 if many clients have either: a
 * pair matches fewer of the others than each value alone, and is far less likely to be random.
 */
function* findPairs(
  odd: readonly FleetMember[],
  others: readonly FleetMember[],
  singles: readonly Separator[],
  { factorials, compared }: PairOptions,
): Steps<Separator[]> {
  const candidates = singles.slice(0, tried);
  if (candidates.length < 2 || odd.length > mostOdd) return [];
  const bits = new Map(candidates.map(({ field, value }, bit) => [`${field}\u0000${value}`, 1 << bit]));
  const inside = yield* countByBits(odd, bits);
  const outside = yield* countByBits(others, bits);
  const pairs = (candidates.length * (candidates.length - 1)) / 2;
  const found: Separator[] = [];
  for (const [bit, a] of candidates.entries()) {
    for (const [offset, b] of candidates.slice(bit + 1).entries()) {
      const both = (1 << bit) | (1 << (bit + 1 + offset));
      const counts = {
        inside: countWith(inside, both),
        insideOf: odd.length,
        outside: countWith(outside, both),
        outsideOf: others.length,
      };
      if (counts.inside * 2 < odd.length || counts.outside >= Math.min(a.outside, b.outside)) continue;
      const chance = chanceOf(counts, factorials);
      if (chance * clearlyBetter > Math.min(a.chance, b.chance)) continue;
      const isWeak = chance * compared * pairs > 0.05;
      const and = { field: b.field, value: b.value };
      found.push({ field: a.field, value: a.value, and, ...counts, chance, isWeak });
    }
  }
  return found;
}

/** Counts the clients by the bits of the values that they have. */
function* countByBits(
  members: readonly FleetMember[],
  bits: ReadonlyMap<string, number>,
): Steps<Uint32Array> {
  const counts = new Uint32Array(1 << bits.size);
  for (const [index, member] of members.entries()) {
    let mask = 0;
    for (const { key } of fieldsOf(member)) mask |= bits.get(key) ?? 0;
    counts[mask] = (counts[mask] ?? 0) + 1;
    if (index % itemsPerStep === 0) yield;
  }
  return counts;
}

function countWith(counts: Uint32Array, mask: number): number {
  return counts.reduce((sum, count, has) => ((has & mask) === mask ? sum + count : sum), 0);
}

/** Returns the logarithms of the factorials of 0 to `most`. */
function* logFactorials(most: number): Steps<Float64Array> {
  const logs = new Float64Array(most + 1);
  for (let n = 2; n <= most; n++) {
    logs[n] = (logs[n - 1] ?? 0) + Math.log(n);
    if (n % 4096 === 0) yield;
  }
  return logs;
}

interface Counts {
  readonly inside: number;
  readonly insideOf: number;
  readonly outside: number;
  readonly outsideOf: number;
}

/** Fisher's exact test, one-sided: the chance that at least `inside` of the odd clients have the value. */
function chanceOf({ inside, insideOf, outside, outsideOf }: Counts, logs: Float64Array): number {
  const all = insideOf + outsideOf;
  const having = inside + outside;
  const choose = (n: number, k: number): number => (logs[n] ?? 0) - (logs[k] ?? 0) - (logs[n - k] ?? 0);
  const total = choose(all, insideOf);
  let chance = 0;
  for (let k = inside; k <= Math.min(insideOf, having); k++) {
    if (insideOf - k > all - having) continue;
    chance += Math.exp(choose(having, k) + choose(all - having, insideOf - k) - total);
  }
  return Math.min(1, chance);
}
