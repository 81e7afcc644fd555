import { describe, expect, test } from 'vitest';
import { findFailing } from '@/lib/facts/failing-endpoints';
import type { Connection } from '@/lib/observation/connection';
import { buildReferenceReport } from '@/lib/resolve/reference-report';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { markUnused } from '@/lib/views/graph/mark-unused';
import { CDS, LDS } from '@/lib/xds/resource-type';
import {
  aggregateCluster,
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
  topologyInput,
} from '../../../support/builders/topology-mesh';

const toCart = [apiListener('shop', { rds: 'routes' }), routeConfig('routes', { '': 'cart' })];

function belowOf(resources: readonly MeshResource[], id: string): string {
  const node = buildTopology(topologyInput(resources)).nodes.find((each) => each.id === id);
  expect(node).toBeDefined();
  return node?.below === undefined ? '' : `${node.below.status} ${node.below.text}`;
}
const cartWith = (...addresses: string[]): MeshResource[] => [
  ...toCart,
  edsCluster('cart'),
  endpoints('cart', [{ zone: 'a', endpoints: addresses }]),
];

const rejected = { details: '', versionInfo: 'v2', lastUpdateAttempt: null, failedHash: null };

const listenerCases: readonly (readonly [what: string, resources: readonly MeshResource[], below: string])[] =
  [
    ['every endpoint is healthy', cartWith('10.0.0.1:80', '10.0.0.2:80'), ''],
    ['the health of no endpoint is reported', cartWith('10.0.0.1:80 UNKNOWN', '10.0.0.2:80 UNKNOWN'), ''],
    [
      'one of two endpoints is unhealthy',
      cartWith('10.0.0.1:80', '10.0.0.2:80 UNHEALTHY'),
      'UNHEALTHY endpoint 10.0.0.2:80 unhealthy',
    ],
    [
      'no endpoint is healthy',
      cartWith('10.0.0.1:80 DRAINING', '10.0.0.2:80 UNHEALTHY'),
      'UNHEALTHY cluster cart has no healthy endpoint',
    ],
    [
      'a health is of an unknown value',
      cartWith('10.0.0.1:80 NEVER_HEARD_OF'),
      'UNKNOWN endpoint 10.0.0.1:80 UNKNOWN',
    ],
    [
      'the EDS resource has no endpoints',
      [...toCart, edsCluster('cart'), endpoints('cart', [])],
      'UNHEALTHY cluster cart has no healthy endpoint',
    ],
    [
      'a cluster is NACKed and its last good config in effect',
      [...toCart, { ...edsCluster('cart'), clientStatus: 'NACKED', errorState: rejected }],
      'NACKED cluster cart NACKED',
    ],
    [
      'a NACKED cluster is less than one without a healthy endpoint',
      [
        apiListener('shop', { rds: 'routes' }),
        routeConfig('routes', { '/a': 'a', '': 'cart' }),
        { ...edsCluster('a'), clientStatus: 'NACKED', errorState: rejected },
        edsCluster('cart'),
        endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.1:80 TIMEOUT'] }]),
      ],
      'UNHEALTHY cluster cart has no healthy endpoint',
    ],
    ['EDS is not reported', [...toCart, edsCluster('cart')], 'UNKNOWN EDS resource cart UNKNOWN'],
    [
      'the first cluster of an aggregate is dead, and the fallback is not',
      [
        ...toCart,
        aggregateCluster('cart', ['near', 'far']),
        edsCluster('near'),
        edsCluster('far'),
        endpoints('near', [{ zone: 'a', endpoints: ['10.0.0.1:80 UNHEALTHY'] }]),
        endpoints('far', [{ zone: 'b', endpoints: ['10.0.0.2:80'] }]),
      ],
      'UNHEALTHY cluster near has no healthy endpoint',
    ],
    ['an aggregate refers to itself', [...toCart, aggregateCluster('cart', ['cart'])], ''],
  ];

test.each(listenerCases)('the listener shows the worst below: %s', (_, resources, below) => {
  expect(belowOf(resources, 'listener:shop')).toBe(below);
});

test('a cluster without a healthy endpoint has the mark itself, and an endpoint has none', () => {
  const resources = cartWith('10.0.0.1:80 UNHEALTHY');
  expect(belowOf(resources, 'cluster:cart')).toBe('UNHEALTHY no healthy endpoint');
  expect(belowOf(resources, 'endpoints:cart>P0>eu / a>10.0.0.1:80')).toBe('');
});

test.each([
  [
    'sends requests to all endpoints, which is no failure',
    {},
    'DEGRADED no healthy endpoint: Envoy sends requests to all of them (panic)',
  ],
  [
    'fails with a threshold of 0',
    { commonLbConfig: { healthyPanicThreshold: { value: 0 } } },
    'UNHEALTHY no healthy endpoint',
  ],
  [
    'fails if traffic is to fail on panic',
    { commonLbConfig: { zoneAwareLbConfig: { failTrafficOnPanic: true } } },
    'UNHEALTHY no healthy endpoint',
  ],
])('a cluster of an Envoy without a healthy endpoint %s', (_, settings, below) => {
  const [listener, routes, cluster, eds] = cartWith('10.0.0.1:80 UNHEALTHY');
  if (listener === undefined || routes === undefined || cluster === undefined || eds === undefined)
    throw new Error('expected four resources');
  const dumped = { ...cluster, stage: 'active', body: { ...cluster.body, ...settings } } as const;
  const resources = [listener, routes, dumped, eds];
  expect(belowOf(resources, 'cluster:cart')).toBe(below);
  expect(belowOf(resources, 'listener:shop')).toBe(below.replace('no', 'cluster cart has no'));
  expect(belowOf([listener, routes, dumped, { ...eds, ...endpoints('cart', []) }], 'cluster:cart')).toBe(
    'UNHEALTHY no healthy endpoint',
  );
});

test('aggregates that refer to each other ten thousand times have unknown health', () => {
  const chain = Array.from({ length: 10_000 }, (_, at) => aggregateCluster(`c${at}`, [`c${at + 1}`]));
  expect(belowOf([...chain, edsCluster('c10000'), endpoints('c10000', [])], 'cluster:c0')).toMatch(
    /^UNHEALTHY cluster c99\d\d has no healthy endpoint$/,
  );
});

test('markUnused marks the resources of a deleted listener, with their parts', () => {
  const gone: MeshResource = { typeUrl: LDS.typeUrl, name: 'gone', clientStatus: 'DOES_NOT_EXIST' };
  const mesh = [
    ...cartWith('10.0.0.1:80'),
    gone,
    edsCluster('left'),
    endpoints('left', [{ zone: 'a', endpoints: ['10.0.1.1:80'] }]),
  ];
  const unusedOf = (resources: readonly MeshResource[]) => {
    const input = topologyInput(resources);
    const { orphans } = buildReferenceReport(input);
    const { nodes } = markUnused(buildTopology(input), orphans);
    return nodes.filter(({ unused }) => unused !== '').map(({ id, unused }) => `${id} ${unused}`);
  };
  const why = 'only CDS "left" refers to it, which is not reachable from a listener';
  expect(unusedOf(mesh)).toEqual([
    'cluster:left nothing refers to it',
    `endpoints:left>P0 ${why}`,
    `endpoints:left>P0>eu / a ${why}`,
    `endpoints:left>P0>eu / a>10.0.1.1:80 ${why}`,
  ]);
  // Without a listener in the report, nothing is known.
  expect(unusedOf(mesh.filter(({ typeUrl }) => typeUrl !== LDS.typeUrl))).toEqual([]);
});

describe('endpoints that fail, as the client measured it', () => {
  const host = (target: string, fields: Partial<Connection>): Connection => ({
    ...{ id: target, kind: 'host', cluster: 'cart', target, channels: [], state: 'HEALTHY', since: 0 },
    ...fields,
  });
  const counts = (callsStarted: number, callsFailed: number) => ({
    ...{ callsStarted, callsFailed, callsSucceeded: callsStarted - callsFailed },
    ...{ lastCallStartedAt: null, openStreams: null, callsPerSecond: null },
  });
  const nodesOf = (...connections: Connection[]) => {
    const resources = cartWith('10.0.0.1:80', '10.0.0.2:80');
    const failing = findFailing(connections);
    const { nodes } = buildTopology({ ...topologyInput(resources), failing });
    const of = (id: string) => nodes.find((each) => each.id === id);
    return { listener: of('listener:shop'), cluster: of('cluster:cart'), nodes };
  };
  const [first, second] = ['10.0.0.1:80', '10.0.0.2:80'] as const;

  test('have the mark of unhealthy ones, and are counted by their cluster', () => {
    const { cluster, listener, nodes } = nodesOf(host(first, { state: 'CONNECT_FAILURE' }));
    expect(nodes.find(({ name }) => name === first)?.status).toBe('UNHEALTHY');
    expect(cluster?.detail).toContain('2 endpoints, 1 fails');
    expect(listener?.below?.text).toBe(`endpoint ${first} unhealthy`);
  });

  test('are a failure of the cluster if each fails, by its connections or by every request', () => {
    const { listener, nodes } = nodesOf(
      host(first, { state: 'CONNECT_FAILURE' }),
      host(second, { figures: counts(20, 20) }),
    );
    expect(listener?.below).toEqual({ status: 'UNHEALTHY', text: 'cluster cart has no endpoint that works' });
    expect(nodes.find(({ name }) => name === second)?.detail).toBe('every request has failed');
  });

  test('do not include one that has served a request, nor one of which few requests are known', () => {
    const { listener } = nodesOf(
      host(first, { figures: counts(20, 19) }),
      host(second, { figures: counts(3, 3) }),
    );
    expect(listener?.below).toBeUndefined();
  });
});

test('a cluster whose endpoints were rejected from the start has none', () => {
  const [listener, routes, cluster, eds] = cartWith('10.0.0.1:80');
  if (listener === undefined || routes === undefined || cluster === undefined || eds === undefined)
    throw new Error('expected four resources');
  const never = {
    ...eds,
    body: undefined,
    versionInfo: '',
    clientStatus: 'NACKED',
    errorState: rejected,
  } as const;
  expect(belowOf([listener, routes, cluster, never], 'cluster:cart')).toBe('UNHEALTHY no healthy endpoint');
});

describe('a cluster of an Envoy', () => {
  const of = (body: object, ...eds: string[]) => {
    const cluster = {
      typeUrl: CDS.typeUrl,
      name: 'cart',
      stage: 'active',
      body: { name: 'cart', ...body },
    } as const;
    const resources = [
      ...toCart,
      cluster,
      ...(eds.length > 0 ? [endpoints('cart', [{ zone: 'a', endpoints: eds }])] : []),
    ];
    return buildTopology(topologyInput(resources)).nodes.find(({ id }) => id === 'cluster:cart');
  };
  const byEds = { type: 'EDS', edsClusterConfig: { edsConfig: { ads: {} } } };

  test('without an endpoint of its own fails', () => {
    const { below } = of({ type: 'STATIC', loadAssignment: { clusterName: 'cart' } }) ?? {};
    expect(below).toEqual({ status: 'UNHEALTHY', text: 'no endpoint' });
  });

  test('whose circuit breaker allows no request fails', () => {
    const node = of({ ...byEds, circuitBreakers: { thresholds: [{ maxRequests: 0 }] } }, '10.0.0.1:80');
    expect(node?.below?.text).toBe('no request allowed by its circuit breaker (max_requests 0)');
    expect(node?.detail).toContain('max_requests 0');
  });

  test('with too few healthy endpoints is in panic', () => {
    const few = ['10.0.0.1:80', '10.0.0.2:80 UNHEALTHY', '10.0.0.3:80 UNHEALTHY'];
    expect(of(byEds, ...few)?.below).toEqual({
      status: 'DEGRADED',
      text: 'too few healthy endpoints: Envoy sends requests to all of them (panic)',
    });
    const never = { ...byEds, commonLbConfig: { healthyPanicThreshold: { value: 0 } } };
    expect(of(never, ...few)?.below?.text).toBe('endpoint 10.0.0.2:80 unhealthy');
  });

  test.each([
    ['lb_subset_config', { lbSubsetConfig: { subsetSelectors: [{ keys: ['v'] }] } }],
    ['locality_weighted_lb_config', { commonLbConfig: { localityWeightedLbConfig: {} } }],
  ])('names the setting by which it chooses hosts: %s', (name, settings) => {
    expect(of({ ...byEds, ...settings }, '10.0.0.1:80')?.detail).toContain(`hosts chosen by ${name}`);
  });

  test('names zone aware routing if it has as many hosts as that needs', () => {
    const settings = { commonLbConfig: { zoneAwareLbConfig: { minClusterSize: 2 } } };
    const cluster = {
      typeUrl: CDS.typeUrl,
      name: 'cart',
      stage: 'active',
      body: { name: 'cart', ...byEds, ...settings },
    } as const;
    const detailOf = (zones: readonly string[]) => {
      const eds = endpoints(
        'cart',
        zones.map((zone) => ({ zone, endpoints: [`10.0.0.${zone}:80`] })),
      );
      const { nodes } = buildTopology(topologyInput([...toCart, cluster, eds]));
      return nodes.find(({ id }) => id === 'cluster:cart')?.detail;
    };
    expect(detailOf(['1', '2'])).toContain('hosts chosen by zone_aware_lb_config');
    expect(detailOf(['1'])).not.toContain('zone_aware_lb_config');
  });
});

const failing = (...targets: string[]) =>
  findFailing(
    targets.map((target) => ({
      ...{ id: target, kind: 'subchannel', target, channels: [], state: 'TRANSIENT_FAILURE', since: 0 },
    })),
  );

function clusterOf(resources: readonly MeshResource[], ...unreachable: string[]) {
  const input = { ...topologyInput(resources), isGrpc: true, failing: failing(...unreachable) };
  const { nodes } = buildTopology(input);
  const endpoint = nodes.find(({ kind }) => kind === 'endpoint');
  const cluster = nodes.find(({ id }) => id === 'cluster:cart');
  const root = nodes.find(({ kind }) => kind === 'listener');
  return { endpoint: endpoint?.status, cluster: cluster?.below?.text, root: root?.below?.text };
}

test('endpoints to which the client cannot connect count as unhealthy', () => {
  const two = cartWith('10.0.0.1:80 UNKNOWN', '10.0.0.2:80');
  expect(clusterOf(two)).toEqual({ endpoint: 'NONE', cluster: undefined, root: undefined });
  expect(clusterOf(two, '10.0.0.1:80')).toEqual({
    ...{ endpoint: 'UNHEALTHY', cluster: 'endpoint 10.0.0.1:80 unhealthy' },
    root: 'endpoint 10.0.0.1:80 unhealthy',
  });
  expect(clusterOf(two, '10.0.0.1:80', '10.0.0.2:80')).toEqual({
    ...{ endpoint: 'UNHEALTHY', cluster: 'no endpoint that works' },
    root: 'cluster cart has no endpoint that works',
  });
});

test('a cluster that ends every RPC itself, and one whose endpoints were rejected from the start', () => {
  const cart = edsCluster('cart');
  const limited = { ...cart, body: { ...cart.body, circuitBreakers: { thresholds: [{ maxRequests: 0 }] } } };
  const members = endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.1:80'] }]);
  const closed = 'the circuit breaker admits no RPC: max_requests is 0';
  expect(clusterOf([...toCart, limited, members])).toEqual({
    ...{ endpoint: 'HEALTHY', cluster: closed, root: `cluster cart: ${closed}` },
  });
  const { body: _, ...without } = members;
  const nacked: MeshResource = { ...without, clientStatus: 'NACKED', versionInfo: '', errorState: rejected };
  expect(clusterOf([...toCart, cart, nacked])).toMatchObject({ cluster: 'no healthy endpoint' });
  expect(clusterOf([...toCart, cart, without])).toMatchObject({ cluster: undefined });
});
