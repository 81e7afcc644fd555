import { describe, expect, it } from 'vitest';
import { type ConstraintsByVersion, constraintsOf } from '@/lib/validate/constraints';
import { validateResource, verdictOf } from '@/lib/validate/validate-resource';
import { profilesOf } from '@/lib/xds/profile';
import { CDS, RDS } from '@/lib/xds/resource-type';
import { readConstraints, readEnforcedConstraints } from '@/server/codec/constraints';

const audience = 'envoy.extensions.filters.http.gcp_authn.v3.Audience';
const urlRules = (version?: string) => readConstraints(version).messages[audience]?.fields.url?.rules;

describe('the constraints of a release of Envoy', () => {
  it.each([
    ['a rule that was dropped', audience, 'url', { string: { min_len: 1 } }, undefined],
    [
      'a rule that was added',
      'envoy.config.cluster.v3.Cluster',
      'healthChecks',
      undefined,
      { repeated: { max_items: 8 } },
    ],
    [
      'a rule that was relaxed',
      'envoy.type.v3.TokenBucket',
      'maxTokens',
      { uint32: { gt: 0 } },
      { uint32: { gte: 0 } },
    ],
    [
      'a field that the older release lacks',
      'envoy.config.listener.v3.QuicProtocolOptions',
      'maxSessionsPerEventLoop',
      undefined,
      { uint32: { gt: 0 } },
    ],
  ])('%s: %s.%s', (_, message, field, before, now) => {
    const rulesOf = (version?: string) => readConstraints(version).messages[message]?.fields[field]?.rules;
    expect([rulesOf('1.36'), rulesOf('1.40'), rulesOf()]).toEqual([before, now, now]);
  });

  it('require the members of a oneof that the release has', () => {
    const required = (version: string) =>
      readConstraints(version).messages['envoy.type.tracing.v3.CustomTag']?.required;
    expect(required('1.36')).toEqual([['literal', 'environment', 'requestHeader', 'metadata']]);
    expect(required('1.40')).toEqual([['literal', 'environment', 'requestHeader', 'metadata', 'value']]);
  });

  it('are the same for patches, the oldest known ones for earlier releases, and the newest for later ones', () => {
    expect(urlRules('1.36.4')).toEqual(urlRules('1.36'));
    expect(urlRules('1.30')).toEqual(urlRules('1.36'));
    expect(urlRules('1.41')).toEqual(urlRules());
  });

  it('of 2024 that Envoy 1.36 and 1.40 no longer enforce are absent', () => {
    for (const version of ['1.36', '1.40']) {
      const { messages } = readConstraints(version);
      expect(messages['envoy.extensions.filters.http.lua.v3.LuaPerRoute']?.required).toBeUndefined();
      expect(messages['envoy.config.core.v3.RuntimeFeatureFlag']?.fields.runtimeKey?.rules).toBeUndefined();
      const cares = messages['envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig'];
      expect(cares?.fields.resolvers?.rules).toBeUndefined();
    }
  });

  it('apply each difference to the next newer release', () => {
    const all: ConstraintsByVersion = {
      messages: { A: { fields: { a: { rules: { uint32: { lt: 3 } } } } } },
      older: [
        {
          envoy: '1.9',
          messages: { A: { fields: { a: { rules: { uint32: { lt: 2 } } } } }, B: { fields: {} } },
        },
        { envoy: '1.8', messages: { A: { fields: { a: null }, required: [['a']] } } },
      ],
    };
    const of = (version: string) => constraintsOf(all, version).messages.A;
    expect(of('1.10')).toEqual({ fields: { a: { rules: { uint32: { lt: 3 } } } } });
    expect(of('1.9')).toEqual({ fields: { a: { rules: { uint32: { lt: 2 } } } } });
    expect(of('1.8')).toEqual({ fields: {}, required: [['a']] });
    expect(all.messages.A?.fields.a).toBeDefined();
  });

  it('are enforced by the profile of the release', () => {
    const verdictsOf = (typeUrl: string, resource: object) => {
      const findings = validateResource(typeUrl, resource, { constraints: readEnforcedConstraints() });
      return profilesOf('envoy').map((profile) => verdictOf(findings, profile));
    };
    const check = (cluster: object) => verdictsOf(CDS.typeUrl, { name: 'c', type: 'STATIC', ...cluster });
    const healthCheck = {
      ...{ timeout: '1s', interval: '1s', unhealthyThreshold: 1, healthyThreshold: 1 },
      tcpHealthCheck: {},
    };
    const times = (count: number) => ({
      healthChecks: Array.from({ length: count }, (_, at) => ({ ...healthCheck, name: `n${at}` })),
    });
    expect(check(times(8))).toEqual(['ACK', 'ACK', 'ACK', 'ACK', 'ACK']);
    expect(check(times(9))).toEqual(['ACK', 'ACK', 'ACK', 'ACK', 'NACK']);
    expect(check({ connectTimeout: '0s' })).toEqual(['NACK', 'NACK', 'NACK', 'NACK', 'NACK']);
    // Envoy 1.38 added this field, and 1.40 the next one.
    const negative = { perConnectionBufferHighWatermarkTimeout: '-0.001s' };
    expect(check(negative)).toEqual(['ACK', 'ACK', 'NACK', 'NACK', 'NACK']);
    const specified = { match: { prefix: '/' }, directResponse: { status: 200 }, routeSpecifiers: [{}] };
    const virtualHosts = [{ name: 'all', domains: ['*'], routes: [specified] }];
    expect(verdictsOf(RDS.typeUrl, { name: 'r', virtualHosts })).toEqual([
      'ACK',
      'ACK',
      'ACK',
      'ACK',
      'NACK',
    ]);
  });
});
