import { itemsPerStep, type Steps } from '../../steps/steps';
import { chanceOf } from './fisher-chance';
import type { FleetMember } from './fleet-member';
import type { Separator } from './separator';
import { fieldsOf } from './values-of-field';

/** Of the best single ones so many are tried with each other. */
const tried = 6;
/** Against many others a pair is looked for among so many odd ones. */
const mostOdd = 2_000;
/** Both together have to be so much less of an accident than the better of them alone. */
const clearlyBetter = 20;

export interface PairOptions {
  readonly factorials: Float64Array;
  /** How many values were looked at. */
  readonly looked: number;
}

/**
 * Two values that only together set the odd ones apart, as zone=a and version=v2 where many have either: they leave fewer
 * of the others than each alone, and are far less of an accident.
 */
export function* findPairs(
  odd: readonly FleetMember[],
  others: readonly FleetMember[],
  singles: readonly Separator[],
  { factorials, looked }: PairOptions,
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
      const isWeak = chance * looked * pairs > 0.05;
      const and = { field: b.field, value: b.value };
      found.push({ field: a.field, value: a.value, and, ...counts, chance, isWeak });
    }
  }
  return found;
}

/** By which of the values they have: how many. */
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
