/**
 * RFC 7541, Appendix B: how many bits the code of each octet has; the last is that of the end of a string. The codes are
 * canonical: those of one length follow each other in the order of the octets.
 */
// biome-ignore format: sixteen octets a line
const lengths: readonly number[] = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
  28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
  5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
  7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
  6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
  24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
  21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
  19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
  26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
  30,
];
const endOfString = 256;
const longestPadding = 7;

/** Of the tree of codes: what follows a 0 and a 1. A positive number is another node, ~octet is a leaf. */
const nodes: [number, number][] = [[0, 0]];

for (const [octet, code, length] of codes()) {
  let node = nodes[0];
  for (let bit = length - 1; bit > 0 && node !== undefined; bit--) {
    const side = (code >>> bit) & 1;
    if (node[side] === 0) node[side] = nodes.push([0, 0]) - 1;
    node = nodes[node[side] ?? 0];
  }
  if (node !== undefined) node[code & 1] = ~octet;
}

function* codes(): Generator<readonly [octet: number, code: number, length: number]> {
  const inOrder = [...lengths.entries()].sort(([a, lengthA], [b, lengthB]) => lengthA - lengthB || a - b);
  let code = 0;
  let lengthBefore = inOrder[0]?.[1] ?? 0;
  for (const [octet, length] of inOrder) {
    code <<= length - lengthBefore;
    lengthBefore = length;
    yield [octet, code, length];
    code += 1;
  }
}

/** undefined: it is no such string (RFC 7541 5.2). */
export function decodeHuffman(bytes: Uint8Array): string | undefined {
  const octets: number[] = [];
  let node = 0;
  /** Since the last octet; padding is less than one octet of ones. */
  let bits = 0;
  let isOnes = true;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const side = (byte >>> bit) & 1;
      const next = nodes[node]?.[side] ?? 0;
      bits += 1;
      isOnes &&= side === 1;
      if (next > 0) {
        node = next;
        continue;
      }
      if (next === 0 || ~next === endOfString) return undefined;
      octets.push(~next);
      node = 0;
      bits = 0;
      isOnes = true;
    }
  }
  if (bits > longestPadding || !isOnes) return undefined;
  return Buffer.from(octets).toString('latin1');
}
