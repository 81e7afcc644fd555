/**
 * An exact, non-negative whole number. LRS counters are uint64, and their sums may be larger. Counts from 2^53 on are bigints,
 * others numbers, so that equal counts are identical.
 */
export type Count = number | bigint;

export function addCounts(a: Count, b: Count): Count {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (sum <= Number.MAX_SAFE_INTEGER) return sum;
  }
  return countOf(BigInt(a) + BigInt(b));
}

export function parseCount(digits: string): Count {
  return digits.length <= 15 ? Number(digits) : countOf(BigInt(digits));
}

function countOf(value: bigint): Count {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

/** Returns 0 if `b` is larger. */
export function subtractCounts(a: Count, b: Count): Count {
  if (typeof a === 'number' && typeof b === 'number') return Math.max(a - b, 0);
  const difference = BigInt(a) - BigInt(b);
  return difference <= 0n ? 0 : countOf(difference);
}
