import { expect, test } from 'vitest';
import type { Verdict } from '@/lib/validate/reactions';
import { validateResource, verdictOf } from '@/lib/validate/validate-resource';
import { nameOf, type Profile } from '@/lib/xds/profile';
import { CDS } from '@/lib/xds/resource-type';
import { decodeBody } from '@/server/codec/decode-body';
import { encodeResource } from './cases/mutation';
import { tlsFamily } from './cases/tls-cases';
import { tableResources } from './conformance-cases/all-cases';

const byTitle = new Map(tableResources().map((each) => [each.title, each]));

/** The last profile with one verdict and the first with the next, as `npm run test:peers` measures them. */
const changes: readonly [title: string, ...versions: readonly (readonly [Profile, Verdict])[]][] = [
  ['socket listener: RBAC header with a string', ['core-1.56', 'NACK'], ['core-1.68', 'ACK']],
  ['API listener: gcp_authn, optional, with an empty cache', ['core-1.68', 'ACK'], ['core-1.73', 'NACK']],
  ['cluster: audience without url', ['core-1.68', 'ACK'], ['core-1.73', 'NACK']],
  ['TLS: system roots', ['core-1.68', 'NACK'], ['core-1.73', 'ACK']],
  ['routes: header string regex that ignores case', ['core-1.73', 'ACK'], ['core-1.74', 'NACK']],
  ['TLS: SAN with a regex that ignores case', ['core-1.51', 'NACK'], ['core-1.85', 'NACK']],
  ['routes: override of RBAC with its own type', ['core-1.74', 'ACK'], ['core-1.80', 'NACK']],
  ['routes: override of the router, optional', ['core-1.74', 'NACK'], ['core-1.80', 'ACK']],
  ['endpoints: priority 4294967295', ['core-1.80', 'CRASH'], ['core-1.85', 'NACK']],
  ['endpoints: additional address that is the first', ['go-1.64', 'ACK'], ['go-1.72', 'NACK']],
  ['routes: header empty prefix', ['go-1.64', 'ACK'], ['go-1.72', 'CRASH']],
  ['routes: header empty prefix', ['go-1.82', 'CRASH'], ['go-1.85', 'NACK']],
  ['routes: header exact', ['go-1.82', 'CRASH'], ['go-1.85', 'ACK']],
  ['TLS: a socket without config', ['go-1.73', 'CRASH'], ['go-1.75', 'NACK']],
  ['endpoints: endpoint weights beyond the most', ['go-1.75', 'ACK'], ['go-1.80', 'NACK']],
  ['endpoints: drop of an unknown denominator', ['go-1.75', 'CRASH'], ['go-1.80', 'ACK']],
  ['endpoints: drop of an unknown denominator', ['go-1.82', 'ACK'], ['go-1.85', 'NACK']],
  ['routes: override of RBAC', ['go-1.75', 'CRASH'], ['go-1.80', 'NACK']],
  ['socket listener: prefix in IPv4 and the same in IPv6', ['go-1.80', 'ACK'], ['go-1.82', 'NACK']],
  ['socket listener: named port', ['java-1.60', 'ACK_NOT_SERVING'], ['java-1.76', 'NACK']],
  ['socket listener: prefix empty', ['java-1.60', 'ACK'], ['java-1.76', 'NACK']],
  ['socket listener: prefix in brackets', ['java-1.60', 'ACK'], ['java-1.76', 'NACK']],
  ['socket listener: prefix in brackets twice', ['java-1.60', 'NACK'], ['java-1.76', 'NACK']],
  ['socket listener: server names twice', ['java-1.60', 'NACK'], ['java-1.76', 'NACK']],
  ['socket listener: two chains of one name', ['java-1.60', 'ACK'], ['java-1.76', 'NACK']],
  ['socket listener: a range twice in a match', ['java-1.60', 'ACK'], ['java-1.76', 'ACK']],
  [
    'API listener: fault: abort with an unknown denominator',
    ['java-1.76', 'NO_ANSWER'],
    ['java-1.85', 'NACK'],
  ],
  ['routes: regex with a new name', ['java-1.60', 'NACK'], ['java-1.76', 'ACK']],
  ['routes: header string, bad regex', ['java-1.76', 'NO_ANSWER'], ['java-1.85', 'NACK']],
  ['routes: hash with a bad regex', ['java-1.60', 'ACK'], ['java-1.76', 'NO_ANSWER']],
  ['routes: cluster header with a bad hash', ['core-1.51', 'ACK'], ['node-1.14', 'CRASH']],
  ['routes: weights too many', ['java-1.60', 'ACK'], ['java-1.76', 'NACK']],
  ['routes: weights that sum to the most', ['java-1.60', 'NACK'], ['java-1.76', 'ACK']],
  ['routes: override of the router', ['java-1.60', 'NACK'], ['java-1.76', 'NACK']],
  ['cluster: least request policy of 1', ['java-1.60', 'NACK'], ['java-1.76', 'NACK']],
  ['cluster: least request policy', ['java-1.60', 'ACK'], ['java-1.76', 'ACK']],
  ['cluster: proxy address that is a name', ['java-1.60', 'ACK'], ['java-1.76', 'NACK']],
  ['LOGICAL_DNS cluster: an IPv6 address', ['java-1.60', 'CRASH'], ['java-1.76', 'CRASH']],
  ['aggregate cluster: of another host', ['java-1.60', 'ACK'], ['java-1.76', 'NACK']],
  ['aggregate cluster: in a TypedStruct', ['java-1.60', 'NACK'], ['java-1.76', 'NACK']],
  ['TLS: system roots', ['java-1.76', 'NACK'], ['java-1.85', 'ACK']],
  ['endpoints: address of nothing', ['java-1.60', 'ACK'], ['java-1.76', 'NACK']],
  ['endpoints: drop of an unknown denominator', ['java-1.76', 'NO_ANSWER'], ['java-1.85', 'NACK']],
];

test.each(changes)('%s', (title, ...versions) => {
  const resource = byTitle.get(title);
  if (resource === undefined) throw new Error(`no case "${title}"`);
  const bytes = encodeResource(resource.typeUrl, resource.resource);
  const findings = validateResource(resource.typeUrl, decodeBody(resource.typeUrl, bytes).json);
  for (const [profile, verdict] of versions)
    expect(verdictOf(findings, profile), nameOf(profile)).toBe(verdict);
});

test('grpc-go before 1.82 ends for a cluster without name before it looks up the certificate provider', () => {
  const json = { ...tlsFamily.base, name: '' };
  const findings = validateResource(CDS.typeUrl, json, { certificateProviders: new Set() });
  expect(verdictOf(findings, 'go-1.75')).toBe('CRASH');
  expect(verdictOf(findings, 'go-1.82')).toBe('NACK');
});
