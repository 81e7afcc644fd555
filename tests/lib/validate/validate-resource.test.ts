import { describe, expect, it } from 'vitest';
import { everyNack, nackBy } from '@/lib/validate/reactions';
import { validateResource } from '@/lib/validate/validate-resource';
import { resourceTypes } from '@/lib/xds/resource-type';

describe('validateResource', () => {
  it.each(resourceTypes.map(({ typeUrl }) => typeUrl))('never throws on any JSON as %s', (typeUrl) => {
    const odd = {
      endpoints: [null, 1, { lbEndpoints: {} }],
      virtualHosts: [{ routes: 'x' }],
      filterChains: [7],
    };
    for (const json of [undefined, null, 0, 'x', [], {}, odd]) validateResource(typeUrl, json);
  });

  it('reports bytes that are not protobuf as NACKed by every client', () => {
    const json = { 'xdscope.opaque': { reason: 'not a valid Cluster: index out of range' } };
    const [finding] = validateResource('type.googleapis.com/envoy.config.cluster.v3.Cluster', json);
    expect(finding?.reactions).toEqual(everyNack);
  });

  it('reports what Envoy rejects beside load_balancing_policy', () => {
    const typedConfig = {
      '@type': 'type.googleapis.com/envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin',
    };
    const policies = [{ typedExtensionConfig: { name: 'x', typedConfig } }];
    const eds = { name: 'a', type: 'EDS', edsClusterConfig: { edsConfig: { ads: {} } } };
    const json = { ...eds, loadBalancingPolicy: { policies }, commonLbConfig: { zoneAwareLbConfig: {} } };
    const findings = validateResource('envoy.config.cluster.v3.Cluster', json);
    expect(findings.map(({ ruleId }) => ruleId)).toEqual(['ENVOY-lb-config']);
    expect(findings[0]?.reactions).toEqual(nackBy('envoy'));
  });

  it('rejects a Lua script that is nested deeper than a parser has stack for', () => {
    const route = {
      match: { prefix: '' },
      route: { cluster: 'a' },
      typedPerFilterConfig: {
        lua: {
          '@type': 'type.googleapis.com/envoy.extensions.filters.http.lua.v3.LuaPerRoute',
          sourceCode: { inlineString: `x = ${'('.repeat(100_000)}` },
        },
      },
    };
    const json = { name: 'r', virtualHosts: [{ name: 'v', domains: ['*'], routes: [route] }] };
    const findings = validateResource('envoy.config.route.v3.RouteConfiguration', json);
    expect(findings.find(({ ruleId }) => ruleId === 'ENVOY-lua')?.message).toMatch(
      /got more than 200 levels of nesting$/,
    );
  });

  it('reports every violation with path, expected and actual value', () => {
    const json = { name: 'a', type: 'EDS', lrsServer: { ads: {} } };
    const findings = validateResource('envoy.config.cluster.v3.Cluster', json);
    expect(findings.map(({ message }) => message)).toEqual([
      'edsClusterConfig: expected the config of an EDS cluster, got nothing',
      'lrsServer: expected self, got {"ads":{}}',
    ]);
  });
});
