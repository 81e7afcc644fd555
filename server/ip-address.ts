import { isIPv4, isIPv6 } from 'node:net';

/** An IP address with 4 or 16 bytes. IPv4-mapped IPv6 addresses are IPv4 addresses. */
export interface IpAddress {
  readonly bytes: Uint8Array;
  readonly family: 'ipv4' | 'ipv6';
  /** The text has the spelling that net.BlockList reads, without a zone. */
  readonly text: string;
}

/** Returns undefined for any other text, including names of digits such as "127.1". */
export function parseIpAddress(text: string): IpAddress | undefined {
  const [address = ''] = text.split('%');
  if (isIPv4(address)) return ipv4Of(address.split('.').map(Number));
  if (!isIPv6(address)) return undefined;
  const bytes = ipv6Bytes(address);
  const isMapped =
    bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return isMapped ? ipv4Of(bytes.subarray(12)) : { bytes, family: 'ipv6', text: address };
}

export function ipv4Of(bytes: Iterable<number>): IpAddress {
  const four = Uint8Array.from(bytes);
  return { bytes: four, family: 'ipv4', text: four.join('.') };
}

/** Returns the address in the format of RFC 5952; undefined unless there are 4 or 16 bytes. */
export function formatIpBytes(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return undefined;
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)).toString(16),
  );
  return shortIpv6(groups.join(':'));
}

/** RFC 5952, as URL writes it. */
export function shortIpv6(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** Returns 4 or 16 bytes, also for an IPv4-mapped address; undefined for any other text. */
export function readIpBytes(text: string): Uint8Array | undefined {
  if (isIPv4(text)) return ipv4Of(text.split('.').map(Number)).bytes;
  return isIPv6(text) && !text.includes('%') ? ipv6Bytes(text) : undefined;
}

/** `address` is an IPv6 address without a zone, in any spelling. */
function ipv6Bytes(address: string): Uint8Array {
  // The last four bytes may be written as an IPv4 address.
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = [], tail = []] = hex
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  const groups = [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}
