import { describe, expect, it } from 'vitest';
import { normaliseNackText } from '@/lib/nacks/rejection-key';

describe('normaliseNackText', () => {
  it.each([
    ['addresses and ports', 'same address 127.0.0.1:43145', 'same address 10.1.2.3:80'],
    ['IPv6', 'duplicate "[2001:db8::1]:80"', 'duplicate "[::1]:8080"'],
    [
      'hexadecimal ids',
      'object at 0x7f3c00aa, hash 9f86d081884c7d65',
      'object at 0x1, hash 60303ae22b998861',
    ],
    ['UUIDs', 'node 123e4567-e89b-12d3-a456-426614174000', 'node 00000000-0000-0000-0000-000000000001'],
    ['versions and nonces', 'version 7 of nonce: "a-1" is bad', 'version v8.2/1 of nonce: "b-22" is bad'],
    ['white space, which Go varies', 'name:"a"  type:EDS\n', 'name:"a" type:EDS'],
  ])('takes away %s', (_, one, other) => {
    expect(normaliseNackText(one)).toBe(normaliseNackText(other));
  });

  it.each([
    ['another field', 'lb_policy is bad', 'lrs_server is bad'],
    ['another number', 'weight must be >= 1', 'weight must be >= 2'],
    ['a word of hexadecimal letters', 'deadbeef is bad', 'facade is bad'],
    ['a release of four numbers in a word', 'v1.2.3.4-x is bad', 'v1.2.3.5-x is bad'],
  ])('keeps %s', (_, one, other) => {
    expect(normaliseNackText(one)).not.toBe(normaliseNackText(other));
  });
});
