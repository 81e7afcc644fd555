/**
 * A sum of doubles that loses nothing: mantissa times 2 to the exponent. Every finite double is such a number, so the
 * order of adding, and what is added up in between, change no bit of it. Kept with an odd mantissa (or 0 and 0), so that
 * equal sums are equal.
 */
export interface ExactSum {
  readonly mantissa: bigint;
  readonly exponent: number;
}

export const zeroSum: ExactSum = { mantissa: 0n, exponent: 0 };

const view = new DataView(new ArrayBuffer(8));
const mantissaMask = (1n << 52n) - 1n;
/** More bits than a double has, and few enough for a number. */
const roundedBits = 64;

/** Precondition: `value` is finite. */
export function exactSumOf(value: number): ExactSum {
  if (Number.isSafeInteger(value)) return normalise(BigInt(value), 0);
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & mantissaMask;
  // IEEE 754: exponent 0 has no hidden bit.
  const mantissa = exponent === 0 ? fraction : fraction | (1n << 52n);
  return normalise(value < 0 ? -mantissa : mantissa, Math.max(exponent, 1) - 1075);
}

export function addExactSums(a: ExactSum, b: ExactSum): ExactSum {
  if (a.mantissa === 0n) return b;
  if (b.mantissa === 0n) return a;
  const exponent = Math.min(a.exponent, b.exponent);
  return normalise(shiftTo(a, exponent) + shiftTo(b, exponent), exponent);
}

/** The nearest double; infinite when it is out of range. */
export function numberOfExactSum({ mantissa, exponent }: ExactSum): number {
  const digits = bitLength(mantissa);
  const extra = digits - roundedBits;
  if (extra <= 0) return scale(Number(mantissa), exponent);
  // What is cut off can only decide which way a tie goes: one bit stands for it.
  const negative = mantissa < 0n;
  const size = negative ? -mantissa : mantissa;
  const rest = size & ((1n << BigInt(extra)) - 1n);
  const rounded = Number((size >> BigInt(extra)) | (rest === 0n ? 0n : 1n));
  return scale(negative ? -rounded : rounded, exponent + extra);
}

/** In two steps where one power of two is no double. */
function scale(value: number, exponent: number): number {
  if (exponent < -1000) return value * 2 ** -1000 * 2 ** Math.max(exponent + 1000, -1074);
  if (exponent > 1000) return value * 2 ** 1000 * 2 ** (exponent - 1000);
  return value * 2 ** exponent;
}

function shiftTo({ mantissa, exponent }: ExactSum, to: number): bigint {
  return mantissa << BigInt(exponent - to);
}

function normalise(mantissa: bigint, exponent: number): ExactSum {
  if (mantissa === 0n) return zeroSum;
  if ((mantissa & 1n) === 1n) return { mantissa, exponent };
  const zeros = bitLength(mantissa & -mantissa) - 1;
  return { mantissa: mantissa >> BigInt(zeros), exponent: exponent + zeros };
}

function bitLength(value: bigint): number {
  const hex = (value < 0n ? -value : value).toString(16);
  return hex.length * 4 - Math.clz32(Number.parseInt(hex[0] ?? '0', 16)) + 28;
}
