/**
 * A whole number that is never negative and always exact: counters of LRS are uint64, and their sums are larger still.
 * A bigint from 2^53 on, a number below, so that equal counts are equal.
 */
export type Count = number | bigint;

export function addCounts(a: Count, b: Count): Count {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (sum <= Number.MAX_SAFE_INTEGER) return sum;
  }
  return countOf(BigInt(a) + BigInt(b));
}

/** The digits of a whole number. */
export function parseCount(digits: string): Count {
  return digits.length <= 15 ? Number(digits) : countOf(BigInt(digits));
}

function countOf(value: bigint): Count {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

/** 0 where `b` is more. */
export function subtractCounts(a: Count, b: Count): Count {
  if (typeof a === 'number' && typeof b === 'number') return Math.max(a - b, 0);
  const difference = BigInt(a) - BigInt(b);
  return difference <= 0n ? 0 : countOf(difference);
}
