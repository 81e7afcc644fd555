import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Finding, validateResource, verdictOf } from '@/lib/validate/validate-resource';
import { clientOf, type Profile, profiles } from '@/lib/xds/profile';
import { CodecError } from '@/server/codec/codec-error';
import { readEnforcedConstraints } from '@/server/codec/constraints';
import { decodeBody } from '@/server/codec/decode-body';
import { runs } from '@/tests/support/runs';
import { nodeClientVerdict } from '../../support/node-client-verdict';
import { aggregateFamily, clusterFamily, dnsFamily, ringFamily } from './cases/cluster-cases';
import { endpointFamily } from './cases/endpoint-cases';
import { apiListener, socketListener } from './cases/listener-cases';
import { encodeResource, type Family, type Json, letters, mutate } from './cases/mutation';
import { routeFamily } from './cases/route-cases';
import { tlsFamily } from './cases/tls-cases';

const context = { certificateProviders: new Set(['p']), constraints: readEnforcedConstraints() };

function validate(typeUrl: string, resource: Json): Finding[] {
  const bytes = encodeResource(typeUrl, resource);
  return validateResource(typeUrl, decodeBody(typeUrl, bytes).json, context);
}

function explain(findings: readonly Finding[], profile: Profile): string {
  const lines = findings.map(
    ({ ruleId, message, reactions }) => `${ruleId} ${reactions[profile]} ${message}`,
  );
  return `${profile}:\n${lines.join('\n')}`;
}

/** Returns undefined if some of the changes exclude each other. */
function encodeChanged({ typeUrl, base }: Family, changes: Family['mutations']): Uint8Array | undefined {
  let resource: Json;
  try {
    resource = mutate(base, ...changes);
  } catch (error) {
    // One change removed the parent of the next one.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
  try {
    return encodeResource(typeUrl, resource);
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

/** The profiles that the letters of a mutation are about. */
const labelled: readonly Profile[] = ['core-1.51', 'go-1.64', 'java-1.85', 'node-1.14', 'envoy-1.40'];

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

describe.each(families)('validateResource on %s', (_name, family) => {
  const { typeUrl, base, mutations, nackedBy = '' } = family;

  it('finds nothing that a client rejects in a valid resource', () => {
    const findings = validate(typeUrl, base);
    for (const profile of profiles) {
      const isNacked = nackedBy.includes(letters[clientOf(profile)]);
      expect(verdictOf(findings, profile) === 'NACK', explain(findings, profile)).toBe(isNacked);
    }
  });

  it.each(mutations.map((each) => [each.label, each] as const))('%s', (_label, mutation) => {
    const findings = validate(typeUrl, mutate(base, mutation));
    for (const profile of labelled) {
      const isNacked = mutation.nackedBy.includes(letters[clientOf(profile)]);
      const verdict = verdictOf(findings, profile);
      // Older versions of grpc-go end instead of a NACK.
      const isRejected = verdict === 'NACK' || (verdict === 'CRASH' && clientOf(profile) === 'go');
      expect(isRejected, explain(findings, profile)).toBe(isNacked);
    }
    if (mutation.rule !== undefined) expect(findings.map(({ ruleId }) => ruleId)).toContain(mutation.rule);
  });

  it('agrees with grpc-js-xds on several faults', () => {
    const faults = fc.subarray([...mutations], { minLength: 1, maxLength: 3 });
    const providers = fc.subarray(['p', 'q']);
    let compared = 0;
    fc.assert(
      fc.property(faults, providers, (changes, certificateProviders) => {
        const bytes = encodeChanged(family, changes);
        if (bytes === undefined) return;
        const { json } = decodeBody(typeUrl, bytes);
        const findings = validateResource(typeUrl, json, {
          certificateProviders: new Set(certificateProviders),
        });
        const { verdict, error } = nodeClientVerdict(typeUrl, bytes, certificateProviders);
        compared += 1;
        const isNacked = verdictOf(findings, 'node-1.14') === 'NACK';
        expect(isNacked, `${JSON.stringify(json)}\n${error}`).toBe(verdict === 'NACK');
      }),
      { numRuns: runs(100) },
    );
    expect(compared).toBeGreaterThan(25);
  });
});
