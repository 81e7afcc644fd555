const prime1 = 0x9e3779b185ebca87n;
const prime2 = 0xc2b2ae3d27d4eb4fn;
const prime3 = 0x165667b19e3779f9n;
const prime4 = 0x85ebca77c2b2ae63n;
const prime5 = 0x27d4eb2f165667c5n;

const encoder = new TextEncoder();

/** XXH64 of the text in UTF-8: https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md */
export function xxh64(text: string, seed = 0n): bigint {
  const bytes = encoder.encode(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const { length } = bytes;
  let at = 0;
  let hash = wrap(seed + prime5);
  if (length >= 32) {
    let [a, b, c, d] = [wrap(seed + prime1 + prime2), wrap(seed + prime2), seed, wrap(seed - prime1)];
    for (; at + 32 <= length; at += 32) {
      a = round(a, view.getBigUint64(at, true));
      b = round(b, view.getBigUint64(at + 8, true));
      c = round(c, view.getBigUint64(at + 16, true));
      d = round(d, view.getBigUint64(at + 24, true));
    }
    hash = wrap(rotate(a, 1n) + rotate(b, 7n) + rotate(c, 12n) + rotate(d, 18n));
    for (const lane of [a, b, c, d]) hash = wrap((hash ^ round(0n, lane)) * prime1 + prime4);
  }
  hash = wrap(hash + BigInt(length));
  for (; at + 8 <= length; at += 8)
    hash = wrap(rotate(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * prime1 + prime4);
  if (at + 4 <= length) {
    hash = wrap(rotate(hash ^ wrap(BigInt(view.getUint32(at, true)) * prime1), 23n) * prime2 + prime3);
    at += 4;
  }
  for (; at < length; at++)
    hash = wrap(rotate(hash ^ wrap(BigInt(view.getUint8(at)) * prime5), 11n) * prime1);
  hash = wrap((hash ^ (hash >> 33n)) * prime2);
  hash = wrap((hash ^ (hash >> 29n)) * prime3);
  return hash ^ (hash >> 32n);
}

/** Rotates 64 bits to the left. */
export function rotate(value: bigint, bits: bigint): bigint {
  return wrap(value << bits) | (value >> (64n - bits));
}

function round(lane: bigint, input: bigint): bigint {
  return wrap(rotate(wrap(lane + input * prime2), 31n) * prime1);
}

function wrap(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}
