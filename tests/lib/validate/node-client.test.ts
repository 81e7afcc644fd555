import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateResource, verdictOf } from '@/lib/validate/validate-resource';
import { CodecError } from '@/server/codec/codec-error';
import { decodeBody } from '@/server/codec/decode-body';
import { encodeBody } from '@/server/codec/encode-body';
import { runs } from '@/tests/support/runs';
import { nodeClientVerdict } from '../../support/node-client-verdict';
import { aggregateFamily, clusterFamily, dnsFamily, ringFamily } from './cases/cluster-cases';
import { endpointFamily } from './cases/endpoint-cases';
import { apiListener, socketListener } from './cases/listener-cases';
import { type Json, mutate } from './cases/mutation';
import { routeFamily } from './cases/route-cases';
import { tlsFamily } from './cases/tls-cases';

const families = {
  'an API listener': apiListener,
  'a socket listener': socketListener,
  'a route configuration': routeFamily,
  'a cluster': clusterFamily,
  'a LOGICAL_DNS cluster': dnsFamily,
  'an aggregate cluster': aggregateFamily,
  'a RING_HASH cluster': ringFamily,
  'TLS of a cluster': tlsFamily,
  'a load assignment': endpointFamily,
};

/** undefined: some of the changes do not go together. */
function encode(typeUrl: string, resource: Json): Uint8Array | undefined {
  try {
    return encodeBody(typeUrl, JSON.parse(JSON.stringify(resource)));
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

describe('the node profile beside grpc-js-xds', () => {
  it.each(Object.entries(families))(
    'agrees on %s with several faults',
    (_name, { typeUrl, base, mutations }) => {
      const faults = fc.subarray([...mutations], { minLength: 1, maxLength: 3 });
      const providers = fc.subarray(['p', 'q']);
      let compared = 0;
      fc.assert(
        fc.property(faults, providers, (changes, certificateProviders) => {
          let resource: Json;
          try {
            resource = mutate(base, ...changes);
          } catch (error) {
            // One change took away what the next one is in.
            if (error instanceof TypeError) return;
            throw error;
          }
          const bytes = encode(typeUrl, resource);
          if (bytes === undefined) return;
          const findings = validateResource(typeUrl, decodeBody(typeUrl, bytes).json, {
            certificateProviders: new Set(certificateProviders),
          });
          const real = nodeClientVerdict(typeUrl, bytes, certificateProviders);
          compared += 1;
          expect(verdictOf(findings, 'node'), `${JSON.stringify(resource)}\n${real.error}`).toBe(
            real.verdict,
          );
        }),
        { numRuns: runs(400) },
      );
      expect(compared).toBeGreaterThan(100);
    },
  );
});
