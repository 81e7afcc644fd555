import { BlockList } from 'node:net';
import { type IpAddress, ipv4Of } from '../../ip-address';

/** The reason why an address is rejected by default. */
interface Rejection {
  /** Such as "link-local addresses (169.254.0.0/16) are rejected". */
  readonly rule: string;
  /** A CIDR of --allow-target allows the address only if its prefix is at least this long. */
  readonly minPrefix: number;
}

interface Range {
  readonly what: string;
  readonly cidr: string;
  readonly prefix: number;
  readonly list: BlockList;
}

/** The first match counts, because the address of a metadata service may be link-local too. */
const ranges: readonly Range[] = Object.entries({
  'addresses of metadata services': [
    '169.254.169.254/32', // AWS, Azure, Google Cloud, OpenStack and others
    '169.254.170.2/32', // AWS ECS
    '169.254.170.23/32', // AWS EKS
    '168.63.129.16/32', // Azure
    '100.100.100.200/32', // Alibaba Cloud
    '192.0.0.192/32', // Oracle Cloud
    'fd00:ec2::254/128', // AWS
    'fd00:ec2::23/128', // AWS EKS
    'fd20:ce::254/128', // Google Cloud
    'fd00:42::42/128', // Scaleway
  ],
  'link-local addresses': ['169.254.0.0/16', 'fe80::/10'],
  'multicast addresses': ['224.0.0.0/4', 'ff00::/8'],
  'unspecified addresses': ['0.0.0.0/8', '::/128'],
  'broadcast addresses': ['255.255.255.255/32'],
}).flatMap(([what, cidrs]) => cidrs.map((cidr) => rangeOf(what, cidr)));

interface Embedding {
  readonly form: string;
  readonly list: BlockList;
  /** The offsets of the bytes of the IPv4 address. */
  readonly at: readonly [number, number, number, number];
  readonly isInverted?: boolean;
  /** An address of 0.0.0.0/8 is none, because other IPv6 addresses have zeros at these offsets. */
  readonly zeroIsNone?: boolean;
}

/** IPv6 addresses that reach an IPv4 address through a translator or a tunnel. */
const embeddings: readonly Embedding[] = [
  { form: 'IPv4-compatible', list: listOf('::/96'), at: [12, 13, 14, 15], zeroIsNone: true },
  { form: 'IPv4-translated', list: listOf('::ffff:0:0:0/96'), at: [12, 13, 14, 15] },
  { form: 'NAT64', list: listOf('64:ff9b::/96'), at: [12, 13, 14, 15] },
  // RFC 8215: a network chooses the length of its prefix, as in RFC 6052. Byte 8 is not used.
  { form: 'NAT64', list: listOf('64:ff9b:1::/48'), at: [6, 7, 9, 10], zeroIsNone: true },
  { form: 'NAT64', list: listOf('64:ff9b:1::/48'), at: [7, 9, 10, 11], zeroIsNone: true },
  { form: 'NAT64', list: listOf('64:ff9b:1::/48'), at: [9, 10, 11, 12], zeroIsNone: true },
  { form: 'NAT64', list: listOf('64:ff9b:1::/48'), at: [12, 13, 14, 15], zeroIsNone: true },
  { form: '6to4', list: listOf('2002::/16'), at: [2, 3, 4, 5] },
  { form: 'Teredo', list: listOf('2001::/32'), at: [4, 5, 6, 7] },
  { form: 'Teredo', list: listOf('2001::/32'), at: [12, 13, 14, 15], isInverted: true },
];

/** Returns undefined if the address is in no rejected range. */
export function findRejection(address: IpAddress): Rejection | undefined {
  const direct = findRange(address);
  if (direct !== undefined) return { rule: ruleOf(direct), minPrefix: direct.prefix };
  for (const { form, embedded } of embeddedIn(address)) {
    const range = findRange(embedded);
    if (range === undefined) continue;
    return { rule: `it carries ${embedded.text} (${form}), and ${ruleOf(range)}`, minPrefix: 128 };
  }
  return undefined;
}

function* embeddedIn(address: IpAddress): Generator<{ form: string; embedded: IpAddress }> {
  if (address.family === 'ipv4') return;
  for (const { form, list, at, isInverted, zeroIsNone } of embeddings) {
    if (!list.check(address.text, 'ipv6')) continue;
    const bytes = at.map((place) => address.bytes[place] ?? 0);
    if (zeroIsNone && bytes[0] === 0) continue;
    yield { form, embedded: ipv4Of(isInverted ? bytes.map((byte) => byte ^ 0xff) : bytes) };
  }
}

function findRange({ text, family }: IpAddress): Range | undefined {
  return ranges.find(({ list }) => list.check(text, family));
}

function ruleOf({ what, cidr }: Range): string {
  return `${what} (${cidr}) are rejected`;
}

function rangeOf(what: string, cidr: string): Range {
  return { what, cidr, prefix: Number(cidr.split('/')[1]), list: listOf(cidr) };
}

function listOf(cidr: string): BlockList {
  const [net = '', prefix] = cidr.split('/');
  const list = new BlockList();
  list.addSubnet(net, Number(prefix), net.includes(':') ? 'ipv6' : 'ipv4');
  return list;
}
