import { expect, it } from 'vitest';
import { hashOfRequest } from '@/lib/explain/hash-of-request';
import { FieldReader } from '@/lib/model/field-reader';
import { headersOf } from '@/lib/requests/request';
import type { Profile } from '@/lib/xds/profile';
import { rotate, xxh64 } from '@/lib/xds/xxh64';

const header = (name: string, more: object = {}) => ({ header: { headerName: name, ...more } });
const channel = { filterState: { key: 'io.grpc.channel_id' } };
const cookie = { cookie: { name: 'c' } };
const newCookie = { cookie: { name: 'c', ttl: '60s' } };
const query = { queryParameter: { name: 'q' } };
const source = { connectionProperties: { sourceIp: true } };
const x = xxh64('1');
const y = xxh64('2');

function hash(
  profile: Profile,
  policies: readonly object[],
  headers: readonly (readonly [string, string])[] = [],
  path = '/',
  manager: object = {},
) {
  const connection = { sourceAddress: '10.1.2.3' };
  const request = { method: 'GET', scheme: 'http', authority: 'a', path, headers, connection } as const;
  const readers = policies.map((each) => FieldReader.open(each, []));
  const find = headersOf(request, profile);
  return hashOfRequest(readers, { request, find, profile, manager: FieldReader.open(manager, []) });
}

it.each([
  [[header('x')], x],
  [[header('y'), header('x')], x],
  [[header('x'), query], rotate(x, 1n) ^ y],
  [[{ ...header('x'), terminal: true }, query], x],
  [[{ ...header('absent'), terminal: true }, query], y],
  [[cookie], xxh64('k')],
  [[source], xxh64('10.1.2.3')],
  [[header('two')], xxh64('b', xxh64('a'))],
])('Envoy hashes by %j', (policies, expected) => {
  const headers = [
    ['x', '1'],
    ['cookie', 'c=k'],
    ['two', 'b'],
    ['two', 'a'],
  ] as const;
  expect(hash('envoy-1.40', policies, headers, '/?q=2')).toMatchObject({ kind: 'hash', hash: expected });
});

it('states that a request without anything to hash has a random hash', () => {
  expect(hash('envoy-1.40', [header('x'), cookie, query, channel].slice(0, 3))).toEqual({ kind: 'none' });
  expect(hash('go-1.85', [cookie, query, source])).toEqual({ kind: 'none' });
});

it.each<[Profile, object, RegExp]>([
  ['envoy-1.40', newCookie, /no cookie c: Envoy makes one/],
  ['envoy-1.40', channel, /filter state io.grpc.channel_id/],
  ['envoy-1.40', header('x-forwarded-for'), /Envoy itself sets/],
  ['envoy-1.40', header('x', { regexRewrite: {} }), /a regular expression rewrites the header x/],
  ['go-1.85', channel, /random number of the channel/],
  ['java-1.85', header('content-type'), /the client itself sets/],
])('%s does not know the hash by %j', (profile, policy, reason) => {
  const known = hash(profile, [policy, header('x')], [['x', '1']]);
  expect(known).toEqual({ kind: 'depends', reason: expect.stringMatching(reason) });
});

it('hashes the values of a header in a gRPC client as one text', () => {
  const headers = [
    ['x', '2'],
    ['x', '1'],
  ] as const;
  expect(hash('core-1.85', [header('x')], headers)).toMatchObject({ hash: xxh64('2,1') });
});

it('combines two hashes as each gRPC client does (measured)', () => {
  const of = (profile: Profile) =>
    hash(
      profile,
      [header('x'), header('y')],
      [
        ['x', 'a'],
        ['y', '2'],
      ],
    );
  const first = xxh64('a');
  // Its highest bit is set.
  expect(first >> 63n).toBe(1n);
  expect(of('go-1.85')).toMatchObject({ hash: rotate(first, 1n) ^ y });
  expect(of('core-1.85')).toMatchObject({ hash: rotate(first, 1n) ^ y });
  expect(of('java-1.85')).toMatchObject({ hash: (2n ** 64n - 1n) ^ y });
  expect(of('node-1.14')).toMatchObject({ hash: 0n });
});

it('hashes the address that x-forwarded-for states, where Envoy trusts it', () => {
  const headers = [['x-forwarded-for', '192.0.2.1']] as const;
  const of = (manager: object) => hash('envoy-1.40', [source], headers, '/', manager);
  expect(of({})).toMatchObject({ hash: xxh64('192.0.2.1') });
  expect(of({ useRemoteAddress: true })).toMatchObject({ hash: xxh64('10.1.2.3') });
});
