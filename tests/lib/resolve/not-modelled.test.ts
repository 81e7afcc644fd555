import { expect, it } from 'vitest';
import { noFailing } from '@/lib/facts/failing-endpoints';
import { trafficOfCluster } from '@/lib/lb/simulator/traffic-of-cluster';
import { whyNoShares } from '@/lib/lb/simulator/why-no-shares';
import { statusOfCluster } from '@/lib/resolve/xds-config';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { LDS } from '@/lib/xds/resource-type';
import { answerPlay } from '@/server/answers/failover/failover-builder';
import { reportAll, resolverOver } from '../../support/builders/resolve-mesh';
import {
  aggregateCluster,
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
  shopOfCart,
  topologyInput,
} from '../../support/builders/topology-mesh';

const subsets = { lbSubsetConfig: { subsetSelectors: [{ keys: ['version'] }] } };

const autoSan = {
  typedExtensionProtocolOptions: {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
      upstreamHttpProtocolOptions: { autoSni: true, autoSanValidation: true },
    },
  },
};

const unknownPolicy = {
  loadBalancingPolicy: {
    policies: [
      {
        typedExtensionConfig: {
          name: 'other',
          typedConfig: {
            '@type': 'type.googleapis.com/xds.type.v3.TypedStruct',
            typeUrl: 'shop/policy.Other',
          },
        },
      },
    ],
  },
};

/** The cluster `a` with these fields, which an aggregate has beside `b`, and whose endpoint has this health. */
function open(more: object, health: string, profile: 'envoy' | 'go-1.85') {
  const own = edsCluster('a');
  return resolverOver(
    [
      apiListener('shop', { rds: 'r' }),
      routeConfig('r', { '/both': 'both', '': 'a' }),
      aggregateCluster('both', ['a', 'b']),
      { ...own, body: { ...own.body, ...more } },
      edsCluster('b'),
      endpoints('a', [{ zone: 'z', endpoints: [`10.0.0.1:1 ${health}`] }]),
      endpoints('b', [{ zone: 'z', endpoints: ['10.0.0.2:1'] }]),
    ],
    { profile },
  );
}

it.each([
  ['subsets', subsets, 'HEALTHY', 'envoy', 'unknown', /^lb_subset_config: .* kinds of requests fail/],
  [
    'the name of each request in the certificate',
    autoSan,
    'HEALTHY',
    'envoy',
    'unknown',
    /^auto_san_validation: /,
  ],
  ['the same, for gRPC, which does not read it', autoSan, 'HEALTHY', 'go-1.85', 'ok', undefined],
  [
    'a policy of an extension',
    unknownPolicy,
    'HEALTHY',
    'envoy',
    'unknown',
    /^load_balancing_policy: none of .*Other is modelled$/,
  ],
  [
    'lb_policy of the cluster type',
    { lbPolicy: 'CLUSTER_PROVIDED' },
    'HEALTHY',
    'envoy',
    'unknown',
    /^lb_policy: /,
  ],
  ['subsets, for gRPC, which has none', subsets, 'HEALTHY', 'go-1.85', 'ok', undefined],
  ['neither', {}, 'HEALTHY', 'envoy', 'ok', undefined],
] as const)('whether a cluster with %s serves requests', (_, more, health, profile, status, setting) => {
  const resolver = open(more, health, profile);
  const entry = resolver.findCluster('a');
  if (entry?.config?.ok !== true) throw new Error('expected a cluster');
  expect(statusOfCluster(entry)).toBe(status);
  if (setting === undefined) expect(entry.config.value.notModelled).toBeUndefined();
  else expect(entry.config.value.notModelled).toMatch(setting);
  const both = resolver.findCluster('both');
  expect(both && statusOfCluster(both)).toBe(status);
  expect(reportAll(resolver)).toBeDefined();
});

it('a gRPC client has no shares by a policy of its application', () => {
  const playWith = (policies: object) => {
    const resolver = open(policies, 'HEALTHY', 'go-1.85');
    const query = { cluster: 'a', changes: [], seconds: 0, find: '' };
    return answerPlay(resolver, 'go-1.85', query, {});
  };
  const { moments, notes } = playWith(unknownPolicy);
  expect([moments, notes]).toEqual([
    [],
    [expect.stringMatching(/shares are not known.*Other is a policy of the/)],
  ]);
  expect(playWith({}).moments).toHaveLength(1);
});

it('what a bootstrap file configures has the shares of a client that would run it', () => {
  const resources: MeshResource[] = [
    apiListener('shop', { rds: 'r' }),
    routeConfig('r', { '': 'a' }),
    { ...edsCluster('a'), doubt: 'configured' },
    endpoints('a', [{ zone: 'z', endpoints: ['10.0.0.1:1'] }]),
  ];
  const resolver = resolverOver(resources, { profile: 'envoy' });
  const query = { cluster: 'a', changes: [], seconds: 0, find: '' };
  const { moments, notes } = answerPlay(resolver, 'core-1.85', query, { isEnvoy: true });
  expect(resolver.status).toBe('resolved');
  expect(moments.map(({ envoy }) => envoy.priorities.map(({ load }) => load))).toEqual([[1]]);
  expect(notes.join()).not.toContain('not known');
});

it('a cluster with subsets and no usable endpoint fails, and its aggregate uses the next one', () => {
  const resolver = open(
    { ...subsets, commonLbConfig: { healthyPanicThreshold: { value: 0 } } },
    'UNHEALTHY',
    'envoy',
  );
  const statusOf = (name: string) => {
    const entry = resolver.findCluster(name);
    return entry && statusOfCluster(entry);
  };
  expect([statusOf('a'), statusOf('both')]).toEqual(['error', 'ok']);
});

it('a cluster whose circuit breaker rejects requests', () => {
  const resolver = open({}, 'HEALTHY', 'envoy');
  const stateOf = () => {
    const entry = resolver.findCluster('a');
    if (entry?.config?.ok !== true) throw new Error('expected a cluster');
    return [statusOfCluster(entry), entry.config.value.notModelled];
  };
  const setLimits = (...limits: string[]) =>
    resolver.setFailing({ ...noFailing, breakers: new Map([['a', { limits }]]) });
  setLimits('max_requests');
  expect(stateOf()).toEqual([
    'unknown',
    'circuit_breakers: its circuit breaker is at its limit (max_requests)',
  ]);
  const query = { cluster: 'a', changes: [], seconds: 0, find: '' };
  const { moments, notes } = answerPlay(resolver, 'core-1.85', query, { isEnvoy: true });
  expect([moments, notes]).toEqual([[], [expect.stringMatching(/shares are not known.*\(max_requests\)$/)]]);
  setLimits();
  expect(stateOf()[1]).toContain('rejected requests in the last two minutes');
  resolver.setFailing(noFailing);
  expect(stateOf()).toEqual(['ok', undefined]);
});

it('all settings that are not modelled are named, in an aggregate those of each leaf', () => {
  const more = {
    lbSubsetConfig: {
      subsetSelectors: [{ keys: ['version'] }],
      allowRedundantKeys: true,
      metadataFallbackPolicy: 'FALLBACK_LIST',
    },
    lbPolicy: 'CLUSTER_PROVIDED',
  };
  const resolver = open(more, 'HEALTHY', 'envoy');
  const breakers = new Map(['a', 'b'].map((name) => [name, { limits: ['max_requests'] }]));
  resolver.setFailing({ ...noFailing, breakers });
  const entry = resolver.findCluster('a');
  if (entry?.config?.ok !== true) throw new Error('expected a cluster');
  const ofA = [
    'circuit_breakers: its circuit breaker is at its limit (max_requests)',
    'lb_subset_config: the metadata of each route and request selects a subset of the hosts (fallback policy NO_FALLBACK), and the metadata of requests by aggregate cluster "both" is not known',
    'lb_subset_config: allow_redundant_keys is not modelled',
    'lb_subset_config: metadata_fallback_policy is not modelled',
    'lb_policy: CLUSTER_PROVIDED is not modelled',
  ];
  expect(entry.config.value.notModelled?.split('; ')).toEqual(ofA);
  const notesOf = (cluster: string) =>
    answerPlay(resolver, 'core-1.85', { cluster, changes: [], seconds: 0, find: '' }, { isEnvoy: true })
      .notes;
  const differ =
    'lb_subset_config: they differ between requests without metadata_match (1 route), requests by aggregate cluster "both"';
  expect(notesOf('a')).toEqual([
    `cluster "a": shares are not known. ${[ofA[0], differ, ...ofA.slice(2)].join('; ')}`,
  ]);
  expect(notesOf('both')).toEqual([
    `cluster "a": shares are not known. ${ofA.join('; ')}; cluster "b": shares are not known. ${ofA[0]}`,
  ]);
  // The circuit breaker is a branch of its own for one request.
  const traffic = trafficOfCluster('a', 'core-1.85', (name) => resolver.findCluster(name), {
    criteria: { version: '1' },
    doubt: 'filter lua can add metadata by which a subset is chosen',
  });
  if (typeof traffic === 'string') throw new Error(traffic);
  const ofRequest = whyNoShares(traffic.cluster, 'envoy');
  expect(ofRequest).toContain('filter lua can add metadata');
  for (const each of ofA.slice(2)) expect(ofRequest).toContain(each);
});

it.each([
  ['a TCP proxy', 'tcp', ['max_connections'], 'unknown'],
  ['HTTP requests, which wait for a connection', 'http', ['max_connections'], 'ok'],
  ['HTTP requests at another limit, too', 'http', ['max_connections', 'max_requests'], 'unknown'],
] as const)('the limit of connections of a cluster of %s', (_, kind, limits, status) => {
  const tcp: MeshResource = {
    ...{ typeUrl: LDS.typeUrl, name: 'shop' },
    body: {
      name: 'shop',
      address: { socketAddress: { address: '0.0.0.0', portValue: 80 } },
      filterChains: [
        {
          filters: [
            {
              name: 'tcp',
              typedConfig: {
                '@type': 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
                statPrefix: 'tcp',
                cluster: 'a',
              },
            },
          ],
        },
      ],
    },
  };
  const resources = [
    ...(kind === 'tcp' ? [tcp] : [apiListener('shop', { rds: 'r' }), routeConfig('r', { '': 'a' })]),
    edsCluster('a'),
    endpoints('a', [{ zone: 'z', endpoints: ['10.0.0.1:1'] }]),
  ];
  const failing = { ...noFailing, breakers: new Map([['a', { limits }]]) };
  const resolver = resolverOver(resources, { profile: 'envoy' });
  resolver.setFailing(failing);
  const entry = resolver.findCluster('a');
  expect(entry && statusOfCluster(entry)).toBe(status);
  const { nodes } = buildTopology({ ...topologyInput(resources), failing });
  const below = nodes.find(({ id }) => id === 'cluster:a')?.below;
  expect(below?.text.includes('at its limit') ?? false).toBe(status === 'unknown');
});

it('states in the graph that the circuit breaker of a cluster rejects requests', () => {
  const breakers = new Map([['cart', { limits: ['max_requests'] }]]);
  const resources = [...shopOfCart, endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.1:80'] }])];
  const { nodes } = buildTopology({ ...topologyInput(resources), failing: { ...noFailing, breakers } });
  const belowOf = (id: string) => nodes.find((each) => each.id === id)?.below;
  const text = 'its circuit breaker is at its limit (max_requests)';
  expect(belowOf('cluster:cart')).toEqual({ status: 'DEGRADED', text });
  expect(belowOf('listener:shop')).toEqual({ status: 'DEGRADED', text: `cluster cart: ${text}` });
});

it('connections that fail for the name of another request do not show that each one fails', () => {
  const failing = { ...noFailing, endpoints: new Map([['a 10.0.0.1:1', 'connection' as const]]) };
  const statusWith = (more: object) => {
    const resolver = open(more, 'HEALTHY', 'envoy');
    resolver.setFailing(failing);
    const entry = resolver.findCluster('a');
    return entry && statusOfCluster(entry);
  };
  expect([statusWith({}), statusWith(autoSan)]).toEqual(['error', 'unknown']);
});
