import { describe, expect, it } from 'vitest';
import { type Profile, profiles } from '@/lib/validate/profile';
import { type Finding, validateResource, verdictOf } from '@/lib/validate/validate-resource';
import { readConstraints } from '@/server/codec/constraints';
import { decodeBody } from '@/server/codec/decode-body';
import { encodeBody } from '@/server/codec/encode-body';
import { nodeClientVerdict } from '../../support/node-client-verdict';
import { aggregateFamily, clusterFamily, dnsFamily, ringFamily } from './cases/cluster-cases';
import { endpointFamily } from './cases/endpoint-cases';
import { apiListener, socketListener } from './cases/listener-cases';
import { type Family, type Json, letters, mutate } from './cases/mutation';
import { routeFamily } from './cases/route-cases';
import { tlsFamily } from './cases/tls-cases';

const certificateProviders = ['p'];
const context = { certificateProviders: new Set(certificateProviders), constraints: readConstraints() };

function validate(
  typeUrl: string,
  resource: Json,
): { readonly bytes: Uint8Array; readonly findings: Finding[] } {
  // Through text, which has no undefined in it.
  const bytes = encodeBody(typeUrl, JSON.parse(JSON.stringify(resource)));
  return { bytes, findings: validateResource(typeUrl, decodeBody(typeUrl, bytes).json, context) };
}

function explain(findings: readonly Finding[], profile: Profile): string {
  const lines = findings.map(
    ({ ruleId, message, reactions }) => `${ruleId} ${reactions[profile]} ${message}`,
  );
  return `${profile}:\n${lines.join('\n')}`;
}

const families: readonly [name: string, family: Family][] = [
  ['an API listener', apiListener],
  ['a socket listener', socketListener],
  ['a route configuration', routeFamily],
  ['a cluster', clusterFamily],
  ['a LOGICAL_DNS cluster', dnsFamily],
  ['an aggregate cluster', aggregateFamily],
  ['a RING_HASH cluster', ringFamily],
  ['TLS of a cluster', tlsFamily],
  ['a load assignment', endpointFamily],
];

describe.each(families)('validateResource on %s', (_name, { typeUrl, base, mutations }) => {
  it('finds nothing that a client rejects in a valid resource', () => {
    const { bytes, findings } = validate(typeUrl, base);
    for (const profile of profiles)
      expect(verdictOf(findings, profile), explain(findings, profile)).toBe('ACK');
    expect(nodeClientVerdict(typeUrl, bytes, certificateProviders)).toEqual({ verdict: 'ACK', error: '' });
  });

  it.each(mutations.map((each) => [each.label, each] as const))(
    '%s',
    (_label, { at, value, nackedBy, rule }) => {
      const { bytes, findings } = validate(typeUrl, mutate(base, { at, value }));
      for (const profile of profiles) {
        const expected = nackedBy.includes(letters[profile]) ? 'NACK' : 'ACK';
        expect(verdictOf(findings, profile), explain(findings, profile)).toBe(expected);
      }
      if (rule !== undefined) expect(findings.map(({ ruleId }) => ruleId)).toContain(rule);
      const real = nodeClientVerdict(typeUrl, bytes, certificateProviders);
      expect(verdictOf(findings, 'node'), `grpc-js-xds itself: ${real.error}`).toBe(real.verdict);
    },
  );
});
