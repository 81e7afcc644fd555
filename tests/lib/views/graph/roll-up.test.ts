import { expect, test } from 'vitest';
import { buildReferenceReport } from '@/lib/resolve/reference-report';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { markUnused } from '@/lib/views/graph/mark-unused';
import { LDS } from '@/lib/xds/resource-type';
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
