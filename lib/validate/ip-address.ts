interface IpAddress {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

export function isIpAddress(text: string): boolean {
  return parseIpAddress(text) !== undefined;
}

/** C-core also accepts an IPv6 address in brackets. */
export function withoutBrackets(text: string): string {
  return /^\[(.*:.*)\]$/.exec(text)?.[1] ?? text;
}

/** Returns undefined if the text is not a literal IPv4 or IPv6 address. A zone ("%eth0") is ignored. */
export function parseIpAddress(text: string): IpAddress | undefined {
  const four = parseIpv4(text);
  if (four !== undefined) return { bits: 32, value: four };
  const six = parseIpv6(text);
  return six === undefined ? undefined : { bits: 128, value: six };
}

/**
 * A text such as "10.1.0.0/16" with numeric groups and the bits beyond the prefix cleared. The prefix length is
 * limited to the length of the address.
 */
export function canonicalCidr(address: IpAddress, prefixLength: number): string {
  const length = Math.min(prefixLength, address.bits);
  const shift = BigInt(address.bits - length);
  return `${address.bits}:${((address.value >> shift) << shift).toString(16)}/${length}`;
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.');
  const isOne =
    parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
  return isOne ? parts.reduce((value, part) => value * 256n + BigInt(part), 0n) : undefined;
}

function parseIpv6(text: string): bigint | undefined {
  const address = text.split('%')[0] ?? '';
  const halves = address.split('::');
  if (halves.length > 2 || !address.includes(':')) return undefined;
  const [head, tail] = halves.map(parseGroups);
  if (head === undefined) return undefined;
  if (halves.length === 1) return head.length === 8 ? join(head) : undefined;
  if (tail === undefined || head.length + tail.length > 7) return undefined;
  return join([...head, ...new Array<bigint>(8 - head.length - tail.length).fill(0n), ...tail]);
}

/** Groups of one side of "::". The last can be an IPv4 address, which counts as two groups. */
function parseGroups(half: string): bigint[] | undefined {
  if (half === '') return [];
  const groups: bigint[] = [];
  const parts = half.split(':');
  for (const [index, part] of parts.entries()) {
    if (part.includes('.')) {
      const four = index === parts.length - 1 ? parseIpv4(part) : undefined;
      if (four === undefined) return undefined;
      groups.push(four >> 16n, four & 0xffffn);
    } else {
      if (!/^[0-9a-f]{1,4}$/i.test(part)) return undefined;
      groups.push(BigInt(`0x${part}`));
    }
  }
  return groups;
}

function join(groups: readonly bigint[]): bigint {
  return groups.reduce((value, group) => value * 65536n + group, 0n);
}
