import { isIP } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { allowedTargets, decideDial, setAllowedTargets } from '@/server/transport/targets/dial-policy';
import { parseHostPattern } from '@/server/transport/targets/host-pattern';

afterEach(() => setAllowedTargets([]));

function ruleFor(address: string, host = address, isNamed = false): string {
  const decision = decideDial({ host, isNamed }, address);
  return decision.isAllowed ? 'allowed' : decision.rule;
}

describe('the dial policy without a list', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '100.100.100.199',
    '8.8.8.8',
    '169.253.255.255',
    '169.255.0.0',
    '223.255.255.255',
    '255.255.255.254',
    '::1',
    'fc00::1',
    'fd12:3456::1',
    'fd00:ec2::253',
    'fec0::1',
    '2001:db8::1',
    '2001:4860:4860::8888',
    '::ffff:127.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::10.0.0.1',
    '64:ff9b:1:0a00:0:100::',
    '2002:0a00:0001::1',
  ])('allows %s', (address) => {
    expect(ruleFor(address)).toBe('allowed');
  });

  it.each([
    ['169.254.169.254', 'addresses of metadata services (169.254.169.254/32) are rejected'],
    ['100.100.100.200', 'addresses of metadata services (100.100.100.200/32) are rejected'],
    ['168.63.129.16', 'addresses of metadata services (168.63.129.16/32) are rejected'],
    ['fd00:ec2::254', 'addresses of metadata services (fd00:ec2::254/128) are rejected'],
    ['fd00:0ec2:0:0:0:0:0:0254', 'addresses of metadata services (fd00:ec2::254/128) are rejected'],
    ['169.254.0.0', 'link-local addresses (169.254.0.0/16) are rejected'],
    ['169.254.255.255', 'link-local addresses (169.254.0.0/16) are rejected'],
    ['fe80::1', 'link-local addresses (fe80::/10) are rejected'],
    ['fe80::1%eth0', 'link-local addresses (fe80::/10) are rejected'],
    ['febf:ffff::1', 'link-local addresses (fe80::/10) are rejected'],
    ['224.0.0.1', 'multicast addresses (224.0.0.0/4) are rejected'],
    ['ff02::1', 'multicast addresses (ff00::/8) are rejected'],
    ['0.0.0.0', 'unspecified addresses (0.0.0.0/8) are rejected'],
    ['::', 'unspecified addresses (::/128) are rejected'],
    ['255.255.255.255', 'broadcast addresses (255.255.255.255/32) are rejected'],
    ['::ffff:a9fe:a9fe', 'addresses of metadata services (169.254.169.254/32) are rejected'],
    [
      '64:ff9b::a9fe:a9fe',
      'it carries 169.254.169.254 (NAT64), and addresses of metadata services (169.254.169.254/32) are rejected',
    ],
    [
      '::169.254.1.1',
      'it carries 169.254.1.1 (IPv4-compatible), and link-local addresses (169.254.0.0/16) are rejected',
    ],
    // RFC 6052, prefixes of 48, 56, 64 and 96 bits.
    ...[
      '64:ff9b:1:a9fe:a9:fe00::',
      '64:ff9b:1:a9:fe:a9fe::',
      '64:ff9b:1:0:a9:fea9:fe00::',
      '64:ff9b:1::a9fe:a9fe',
    ].map((address) => [
      address,
      'it carries 169.254.169.254 (NAT64), and addresses of metadata services (169.254.169.254/32) are rejected',
    ]),
  ])('rejects %s: %s', (address, rule) => {
    expect(ruleFor(address)).toBe(rule);
    expect(ruleFor(address, address, true)).toBe(rule);
  });
});

const byte = fc.integer({ min: 0, max: 255 });
const rejectedIpv4 = fc.oneof(
  fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
  fc.tuple(fc.integer({ min: 224, max: 239 }), byte, byte, byte),
  fc.tuple(fc.constant(0), byte, byte, byte),
  fc.constantFrom<number[]>(
    [169, 254, 169, 254],
    [100, 100, 100, 200],
    [255, 255, 255, 255],
    [168, 63, 129, 16],
  ),
);
const allowedIpv4 = fc.oneof(
  fc.tuple(fc.constantFrom(10, 127, 8, 64, 198), byte, byte, byte),
  fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
  fc.tuple(fc.constant(169), fc.integer({ min: 0, max: 253 }), byte, byte),
);

const hex = (value: number): string => value.toString(16);
const group = (high = 0, low = 0): string => hex(high * 256 + low);
const inverted = (bytes: readonly number[]): number[] => bytes.map((value) => 255 - value);
/** IPv6 addresses that reach the IPv4 address, in several spellings. */
const embeddingsOf = (ipv4: readonly number[]): string[] => {
  const [a, b, c, d] = ipv4;
  const [na, nb, nc, nd] = inverted(ipv4);
  return [
    `::ffff:${ipv4.join('.')}`,
    `0:0:0:0:0:ffff:${group(a, b)}:${group(c, d)}`,
    `::FFFF:${group(a, b).toUpperCase()}:${group(c, d)}`,
    `::ffff:0:${ipv4.join('.')}`,
    `64:ff9b::${ipv4.join('.')}`,
    `0064:ff9b:0:0:0:0:${group(a, b)}:${group(c, d)}`,
    `2002:${group(a, b)}:${group(c, d)}::1`,
    `2001:0:${group(a, b)}:${group(c, d)}:0:ffff:f5ff:fffe`,
    `2001:0:a00:1:8000:ffff:${group(na, nb)}:${group(nc, nd)}`,
  ];
};

describe('the dial policy for all spellings', () => {
  it('an IPv6 address that carries a rejected IPv4 address is rejected', () => {
    fc.assert(
      fc.property(rejectedIpv4, (ipv4) => {
        for (const address of [ipv4.join('.'), ...embeddingsOf(ipv4)]) {
          expect(isIP(address), address).not.toBe(0);
          expect(ruleFor(address), address).toMatch(/are rejected$/);
        }
      }),
    );
  });

  it('an IPv6 address that carries an allowed IPv4 address is allowed', () => {
    fc.assert(
      fc.property(allowedIpv4, (ipv4) => {
        for (const address of [ipv4.join('.'), ...embeddingsOf(ipv4), `::${ipv4.join('.')}`]) {
          expect(ruleFor(address), address).toBe('allowed');
        }
      }),
    );
  });
});

describe('the dial policy with a list', () => {
  it('allows what is listed, by address or by name, and rejects the rest', () => {
    setAllowedTargets(['10.0.0.0/8', 'fd00::/16', '192.168.1.1', 'istiod.example', '*.svc.cluster.local']);
    expect(ruleFor('10.255.0.1')).toBe('allowed');
    expect(ruleFor('::ffff:10.0.0.1')).toBe('allowed');
    expect(ruleFor('fd00::7')).toBe('allowed');
    expect(ruleFor('192.168.1.1')).toBe('allowed');
    expect(ruleFor('172.16.0.1', 'ISTIOD.example.')).toBe('allowed');
    expect(ruleFor('172.16.0.1', 'a.b.svc.cluster.local')).toBe('allowed');
    const rule = 'it is not among the targets that --allow-target lists';
    expect(ruleFor('192.168.1.2')).toBe(rule);
    expect(ruleFor('127.0.0.1')).toBe(rule);
    expect(ruleFor('172.16.0.1', 'svc.cluster.local')).toBe(rule);
    expect(ruleFor('172.16.0.1', 'evilsvc.cluster.local')).toBe(rule);
    expect(ruleFor('172.16.0.1', 'istiod.example.evil')).toBe(rule);
    // The address of a translator is not the address behind it.
    expect(ruleFor('64:ff9b::10.0.0.1')).toBe(rule);
  });

  it('does not limit targets that flags or the config file name', () => {
    setAllowedTargets(['10.0.0.0/8']);
    expect(ruleFor('192.168.1.2', 'a.example', true)).toBe('allowed');
  });

  it('allows addresses of a rejected range only by a CIDR within it', () => {
    for (const wide of ['0.0.0.0/0', '169.0.0.0/8', 'metadata.example']) {
      setAllowedTargets([wide]);
      expect(ruleFor('169.254.1.1', 'metadata.example'), wide).toMatch(/link-local/);
    }
    setAllowedTargets(['169.254.0.0/16']);
    expect(ruleFor('169.254.1.1')).toBe('allowed');
    expect(ruleFor('169.254.169.254')).toMatch(/metadata/);
    setAllowedTargets(['169.254.169.254']);
    expect(ruleFor('169.254.169.254')).toBe('allowed');
    setAllowedTargets(['64:ff9b::/96', '169.254.169.254']);
    expect(ruleFor('64:ff9b::169.254.169.254')).toMatch(/metadata/);
    setAllowedTargets(['64:ff9b::a9fe:a9fe']);
    expect(ruleFor('64:ff9b::169.254.169.254')).toBe('allowed');
  });

  it('reports the entry that would allow the address', () => {
    setAllowedTargets(['10.0.0.0/8']);
    expect(decideDial({ host: 'a.example' }, '192.168.0.1')).toMatchObject({ entry: 'a.example' });
    expect(decideDial({ host: '192.168.0.1' }, '192.168.0.1')).toMatchObject({ entry: '192.168.0.1' });
    expect(decideDial({ host: 'a.example' }, '169.254.1.1')).toMatchObject({ entry: '169.254.1.1' });
    expect(allowedTargets().map(({ text }) => text)).toEqual(['10.0.0.0/8']);
  });
});

describe('parseHostPattern', () => {
  it.each([
    '',
    '*',
    '*.',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'fd00::/129',
    '127.1',
    '0x7f.1',
    'http://a',
    'a:80',
    'a.*.b',
    'a/8',
  ])('rejects %j', (text) => {
    expect(parseHostPattern(text)).toBeUndefined();
  });
});
