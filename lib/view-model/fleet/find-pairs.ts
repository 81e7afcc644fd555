import { itemsPerStep, type Steps } from '../../steps/steps';
import { chanceOf } from './fisher-chance';
import type { FleetMember } from './fleet-member';
import type { Separator } from './separator';
import { fieldsOf } from './values-of-field';

/** The number of the best single values that are combined. */
const tried = 6;
/** Pairs are searched if there are not more odd clients than this. */
const mostOdd = 2_000;
/** The factor by which a pair must be less likely than the better of its values. */
const clearlyBetter = 20;

export interface PairOptions {
  readonly factorials: Float64Array;
  readonly compared: number;
}

/**
 * Finds two values that only together separate the odd clients, as zone=a and version=v2 if many clients have either: a
 * pair matches fewer of the others than each value alone, and is far less likely to be random.
 */
export function* findPairs(
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
