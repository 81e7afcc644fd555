import { readIpBytes } from '../../ip-address';
import { isRedactionMarker } from '../redaction-marker';
import { showValue } from './show-value';

const ranges: Readonly<Record<string, readonly [bigint, bigint]>> = {
  ...range(['int32', 'sint32', 'sfixed32'], -(1n << 31n), (1n << 31n) - 1n),
  ...range(['uint32', 'fixed32'], 0n, (1n << 32n) - 1n),
  ...range(['int64', 'sint64', 'sfixed64'], -(1n << 63n), (1n << 63n) - 1n),
  ...range(['uint64', 'fixed64'], 0n, (1n << 64n) - 1n),
};

function range(types: string[], low: bigint, high: bigint): Record<string, readonly [bigint, bigint]> {
  return Object.fromEntries(types.map((type) => [type, [low, high]]));
}

const largestFloat = 3.4028234663852886e38;

/** Converts a scalar of proto3 JSON for protobufjs. Throws an Error with the expected and the actual value. */
export function readScalar(type: string, value: unknown): unknown {
  switch (type) {
    case 'string':
      if (typeof value !== 'string') throw expected('text', value);
      if (!isWellFormed(value)) throw expected('text of whole characters', value);
      return value;
    case 'bool':
      if (value === 'true' || value === 'false') return value === 'true';
      if (typeof value !== 'boolean') throw expected('true or false', value);
      return value;
    case 'ip':
      return (
        (typeof value === 'string' ? readIpBytes(value) : undefined) ??
        readBytes(value, 'an IP address or base64')
      );
    case 'bytes':
      return readBytes(value);
    case 'float':
    case 'double':
      return readFloat(type, value);
    default:
      return readInteger(type, value);
  }
}

/** Returns the key of a map as protobufjs encodes it, or undefined if it is not of the type. */
export function readMapKey(keyType: string, key: string): string | undefined {
  if (keyType === 'string') return isWellFormed(key) ? key : undefined;
  if (keyType === 'bool') return key === 'true' || key === 'false' ? key : undefined;
  try {
    readInteger(keyType, key);
    return String(toBigInt(key));
  } catch {
    return undefined;
  }
}

function readInteger(type: string, value: unknown): unknown {
  const bounds = ranges[type];
  // Most integers need no bigint.
  if (typeof value === 'number' && isSmall(value, type)) return value;
  const integer = toBigInt(value);
  if (integer === undefined || bounds === undefined)
    throw expected(`a whole number (${type}${isRounded(value) ? '), beyond 2^53 in quotes' : ')'}`, value);
  const [low, high] = bounds;
  if (integer < low || integer > high) throw expected(`${type} (${low} to ${high})`, value);
  if (!type.endsWith('64')) return Number(integer);
  const bits = BigInt.asUintN(64, integer);
  return { low: Number(bits & 0xffffffffn) | 0, high: Number(bits >> 32n) | 0, unsigned: low === 0n };
}

function isSmall(value: number, type: string): boolean {
  if (!Number.isInteger(value) || value >= 2 ** 31 || type.endsWith('64')) return false;
  return value >= 0 || (value >= -(2 ** 31) && type !== 'uint32' && type !== 'fixed32');
}

function toBigInt(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  // A larger number may have been rounded.
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'string' || value.length > 40) return undefined;
  if (/^[+-]?\d+$/.test(value)) return BigInt(value.replace(/^\+/, ''));
  // "1.0" and "1e3" are integers as well.
  if (!numberPattern.test(value)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? BigInt(number) : undefined;
}

function isRounded(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
}

const numberPattern = /^[+-]?(?:\d*\.\d+|\d+\.?)(?:[eE][+-]?\d+)?$/;

function readFloat(type: string, value: unknown): number {
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value);
  const isNumeric = typeof value === 'string' && value.length <= 400 && numberPattern.test(value);
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  const number = isNumber || isNumeric ? Number(value) : Number.NaN;
  if (Number.isNaN(number) && typeof value !== 'number') throw expected('a number', value);
  if (isNumeric && !Number.isFinite(number)) throw expected('a number (double)', value);
  if (type === 'float' && Number.isFinite(number) && Math.abs(number) > largestFloat) {
    throw expected('a number (float)', value);
  }
  return number;
}

/** Accepts base64, base64url and redaction markers, which are kept as text. */
function readBytes(value: unknown, what = 'base64'): Uint8Array {
  if (typeof value !== 'string') throw expected(what, value);
  if (isRedactionMarker(value)) return Buffer.from(value, 'latin1');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(value) || value.replace(/=+$/, '').length % 4 === 1) {
    throw expected(what, value);
  }
  return Buffer.from(value, 'base64');
}

/** Returns whether the text can be encoded in UTF-8, which lone surrogates cannot. */
function isWellFormed(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text) || !/\p{Surrogate}/u.test(text);
}

function expected(what: string, value: unknown): Error {
  return new Error(`expected ${what}, got ${showValue(value)}`);
}
