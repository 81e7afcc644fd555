import { expect, test } from 'vitest';
import { buildTopology } from '@/lib/views/graph/build-topology';
import type { GraphNode } from '@/lib/views/graph/schema';
import { CDS, EDS, LDS, RDS, SDS, SRDS, VHDS } from '@/lib/xds/resource-type';
import {
  aggregateCluster,
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
  topologyInput,
} from '../../../support/builders/topology-mesh';

const build = (resources: readonly MeshResource[]) => buildTopology(topologyInput(resources));
const reported = (node: GraphNode) => `${node.kind} ${node.name} ${node.status} "${node.detail}"`;
const find = (nodes: readonly GraphNode[], id: string) => nodes.find((node) => node.id === id);

const shop = [
  apiListener('shop', { rds: 'shop-routes' }),
  routeConfig('shop-routes', { '/cart': { 'cart-v1': 80, 'cart-v2': 20 }, '': 'web' }),
  edsCluster('cart-v1', 'cart-v1-eds'),
  edsCluster('cart-v2'),
  edsCluster('web'),
  endpoints('cart-v1-eds', [
    { zone: 'a', weight: 3, endpoints: ['10.0.0.10:80 UNHEALTHY', '10.0.0.9:80 UNKNOWN'] },
    { zone: 'b', weight: 1, endpoints: ['10.0.1.1:80 DRAINING'] },
    { zone: 'a', priority: 1, endpoints: ['10.0.2.1:80'] },
  ]),
  endpoints('cart-v2', [{ zone: 'a', endpoints: ['10.0.3.1:80'] }]),
  endpoints('web', [{ zone: 'a', endpoints: ['10.0.4.1:80'] }]),
];

test('buildTopology connects listeners to endpoints', () => {
  const { nodes, edges } = build(shop);
  expect(nodes.map(reported).filter((text) => !/10\.0\.[34]|cart-v2|web/.test(text))).toEqual([
    'listener shop ACKED "API listener · router"',
    'route-config shop-routes ACKED "1 virtual host"',
    'virtual-host default NONE "*"',
    'route prefix /cart NONE "2 clusters by weight"',
    'route every path NONE ""',
    'cluster cart-v1 ACKED "4 endpoints, 1 unhealthy, 1 draining · EDS cart-v1-eds · round robin"',
    'priority P0 ACKED "3 endpoints, 1 unhealthy, 1 draining"',
    'locality eu / a NONE "weight 3 of 4 · 2 endpoints, 1 unhealthy"',
    'endpoint 10.0.0.9:80 NONE "health not reported"',
    'endpoint 10.0.0.10:80 UNHEALTHY ""',
    'locality eu / b NONE "weight 1 of 4 · 1 endpoint, 1 draining"',
    'endpoint 10.0.1.1:80 DRAINING ""',
    'priority P1 ACKED "1 endpoint"',
    'locality eu / a NONE "weight 1 · 1 endpoint"',
    'endpoint 10.0.2.1:80 HEALTHY ""',
    'priority P0 ACKED "1 endpoint"',
    'locality eu / a NONE "weight 1 · 1 endpoint"',
    'priority P0 ACKED "1 endpoint"',
    'locality eu / a NONE "weight 1 · 1 endpoint"',
  ]);
  expect(edges.slice(0, 6).map(({ kind, target, label }) => `${kind} ${target} ${label}`.trim())).toEqual([
    'rds route-config:shop-routes',
    'contains route-config:shop-routes>default',
    'contains route-config:shop-routes>default>prefix /cart',
    'weighted cluster:cart-v1 80%',
    'weighted cluster:cart-v2 20%',
    'contains route-config:shop-routes>default>every path',
  ]);
});

test('buildTopology states the field of each part of a resource', () => {
  const { nodes } = build(shop);
  const fieldsOf = (resourceName: string) =>
    nodes
      .filter((node) => node.resourceName === resourceName)
      .map(({ name, fieldPath = 'whole' }) => `${name}: ${fieldPath}`);
  expect(fieldsOf('shop')).toEqual(['shop: whole']);
  expect(fieldsOf('shop-routes')).toEqual([
    'shop-routes: whole',
    'default: virtualHosts[0]',
    'prefix /cart: virtualHosts[0].routes[0]',
    'every path: virtualHosts[0].routes[1]',
  ]);
  expect(fieldsOf('cart-v1-eds')).toEqual([
    'P0: endpoints[0]',
    'eu / a: endpoints[0]',
    '10.0.0.9:80: endpoints[0].lbEndpoints[1]',
    '10.0.0.10:80: endpoints[0].lbEndpoints[0]',
    'eu / b: endpoints[1]',
    '10.0.1.1:80: endpoints[1].lbEndpoints[0]',
    'P1: endpoints[2]',
    'eu / a: endpoints[2]',
    '10.0.2.1:80: endpoints[2].lbEndpoints[0]',
  ]);
});

test('buildTopology does not depend on the order of the rows', () => {
  const ids = ({ nodes, edges }: ReturnType<typeof build>) => [
    nodes.map(({ id }) => id),
    edges.map(({ id }) => id),
  ];
  const backwards = [...shop].reverse();
  expect(ids(build(backwards))).toEqual(ids(build(shop)));
});

test('buildTopology keeps ids when siblings are added and removed', () => {
  const before = build(shop).nodes.map(({ id }) => id);
  const more = build([
    ...shop,
    edsCluster('a-first'),
    endpoints('a-first', [{ zone: 'z', endpoints: ['1.1.1.1:1'] }]),
  ]);
  const after = new Set(more.nodes.map(({ id }) => id));
  expect(before.filter((id) => !after.has(id))).toEqual([]);
});

test('buildTopology builds unique ids of nodes and edges, whatever the names are', () => {
  const odd = [
    apiListener('a>b', { inline: { name: 'x', virtualHosts: [{ name: 'v' }, { name: 'v' }] } }),
    apiListener('a', { inline: { name: 'b>inline x', virtualHosts: [{ name: 'v#2' }] } }),
    routeConfig('', { '/a': 'c', '/a#2': 'c' }),
    endpoints('e', [
      { zone: 'a', endpoints: ['1.1.1.1:1', '1.1.1.1:1'] },
      { zone: 'a', endpoints: [] },
    ]),
  ];
  const { nodes, edges } = build(odd);
  expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
  expect(new Set(edges.map(({ id }) => id)).size).toBe(edges.length);
});

test('buildTopology shows resources without a body with their status', () => {
  const { nodes } = build([
    { typeUrl: LDS.typeUrl, name: 'l', clientStatus: 'DOES_NOT_EXIST' },
    { typeUrl: RDS.typeUrl, name: 'r', clientStatus: 'TIMEOUT' },
    { typeUrl: CDS.typeUrl, name: 'c', clientStatus: 'REQUESTED' },
    { typeUrl: EDS.typeUrl, name: 'e', clientStatus: 'REQUESTED' },
    { typeUrl: SDS.typeUrl, name: 's', clientStatus: 'UNKNOWN' },
    { typeUrl: SRDS.typeUrl, name: 'scope', clientStatus: 'REQUESTED' },
    { typeUrl: VHDS.typeUrl, name: 'r/v', clientStatus: 'REQUESTED' },
  ]);
  expect(nodes.map(reported)).toEqual([
    'listener l DOES_NOT_EXIST "does not exist"',
    'route-config r TIMEOUT "no config reported"',
    'route-config scope REQUESTED "none accepted yet"',
    'virtual-host r/v REQUESTED "none accepted yet"',
    'cluster c REQUESTED "none accepted yet"',
    'endpoints e REQUESTED "none accepted yet"',
    'secret s UNKNOWN "no config reported"',
  ]);
});

test('buildTopology shows the last good config of a NACKED resource, with the reason', () => {
  const errorState = {
    details: 'domains: empty',
    versionInfo: 'v2',
    lastUpdateAttempt: null,
    failedHash: null,
  };
  const { nodes } = build([{ ...routeConfig('r', { '': 'c' }), clientStatus: 'NACKED', errorState }]);
  expect(nodes[0]).toMatchObject({
    status: 'NACKED',
    detail: 'version v2 rejected, last good v1 · 1 virtual host',
  });
  expect(nodes[0]?.reason).toBe('domains: empty');
  expect(nodes.map(({ kind }) => kind)).toEqual(['route-config', 'virtual-host', 'route', 'cluster']);
});

test('buildTopology does not show a payload that was rejected first, or that of a deleted resource as in effect', () => {
  const input = topologyInput([{ ...edsCluster('c'), clientStatus: 'NACKED' }]);
  const rows = input.rows.map((row) => ({
    ...row,
    hash: null,
    errorState: { details: 'bad', versionInfo: '', lastUpdateAttempt: null, failedHash: row.hash },
  }));
  expect(buildTopology({ ...input, rows }).nodes[0]?.detail).toBe('rejected');
  const deleted = build([{ ...edsCluster('c'), clientStatus: 'DOES_NOT_EXIST' }]);
  expect(deleted.nodes[0]?.detail).toBe('does not exist');
});

test('buildTopology shows the state of EDS at its priorities, and names a listener that has no name', () => {
  const active = { state: 'ACTIVE', clientStatus: 'UNKNOWN' } as const;
  const { nodes } = build([
    { ...apiListener('', { inline: {} }), ...active },
    { ...endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.1:80'] }]), ...active },
  ]);
  expect(nodes.find(({ kind }) => kind === 'listener')).toMatchObject({
    name: '(empty name)',
    status: 'ACTIVE',
  });
  expect(nodes.find(({ kind }) => kind === 'priority')).toMatchObject({ status: 'ACTIVE' });
});

test('buildTopology marks references to absent resources, with the referencing resources', () => {
  const { nodes } = build([
    apiListener('l', { rds: 'gone' }),
    routeConfig('r', { '/x': 'lost' }),
    edsCluster('c'),
  ]);
  expect(find(nodes, 'route-config:gone')).toMatchObject({
    status: 'MISSING',
    reason: 'l refers to this route configuration, and the client does not hold it',
  });
  expect(find(nodes, 'cluster:lost')).toMatchObject({
    status: 'MISSING',
    reason: 'r, default, prefix /x refers to this cluster, and the client does not hold it',
  });
});

test('buildTopology marks a reference as unknown, not missing, if no source reports its type', () => {
  const { nodes } = build([edsCluster('c')]);
  expect(find(nodes, 'endpoints:c')).toMatchObject({ status: 'UNKNOWN', detail: 'not reported' });
});

test('buildTopology does not miss the clusters of a virtual host that a gRPC client does not use', () => {
  const virtualHosts = ['used', 'other'].map((name) => ({
    name,
    domains: [name],
    routes: [{ match: { prefix: '' }, route: { cluster: `${name}-cluster` } }],
  }));
  const { nodes } = build([
    { typeUrl: RDS.typeUrl, name: 'r', body: { name: 'r', virtualHosts } },
    edsCluster('used-cluster'),
  ]);
  expect(find(nodes, 'cluster:other-cluster')).toMatchObject({ status: 'UNKNOWN', detail: 'not requested' });
});

test('buildTopology links aggregate clusters to their leaves in order, each once, cycles included', () => {
  const { edges } = build([aggregateCluster('agg', ['near', 'far', 'near', 'agg']), edsCluster('near')]);
  const aggregated = edges.filter(({ kind }) => kind === 'aggregate');
  expect(aggregated.map(({ target, label }) => `${target} ${label}`)).toEqual([
    'cluster:near first',
    'cluster:far fallback 1',
    'cluster:agg fallback 2',
  ]);
});

test('buildTopology lets two clusters share one EDS resource', () => {
  const { nodes, edges } = build([
    edsCluster('one', 'both'),
    edsCluster('two', 'both'),
    endpoints('both', [{ zone: 'a', endpoints: ['1.1.1.1:1'] }]),
  ]);
  expect(nodes.filter(({ kind }) => kind === 'priority')).toHaveLength(1);
  expect(edges.filter(({ kind }) => kind === 'eds').map(({ source }) => source)).toEqual([
    'cluster:one',
    'cluster:two',
  ]);
});

test('buildTopology adds inline routes below their listener, and inline endpoints below their cluster', () => {
  const inline = {
    name: 'in',
    virtualHosts: [{ name: 'v', routes: [{ match: { prefix: '/' }, route: { cluster: 'c' } }] }],
  };
  const loadAssignment = {
    endpoints: [
      {
        lbEndpoints: [{ endpoint: { address: { socketAddress: { address: 'db.local', portValue: 5432 } } } }],
      },
    ],
  };
  const { nodes, edges } = build([
    apiListener('l', { inline }),
    { typeUrl: CDS.typeUrl, name: 'c', body: { name: 'c', type: 'LOGICAL_DNS', loadAssignment } },
  ]);
  expect(nodes.map(reported)).toEqual([
    'listener l ACKED "API listener · router"',
    'route-config in NONE "inline · 1 virtual host"',
    'virtual-host v NONE "no domains"',
    'route prefix / NONE ""',
    'cluster c ACKED "1 endpoint · logical DNS · round robin"',
    'priority P0 NONE "1 endpoint"',
    'locality no locality NONE "1 endpoint"',
    'endpoint db.local:5432 NONE "resolved by DNS"',
  ]);
  expect(edges[0]).toMatchObject({ kind: 'inline', source: 'listener:l' });
  expect(nodes[1]).toMatchObject({ typeUrl: LDS.typeUrl, resourceName: 'l', hash: 'hash-0' });
});

test('buildTopology draws the endpoints that Envoy lists for clusters without EDS below these clusters', () => {
  const dns = (name: string, type: string): MeshResource => ({
    typeUrl: CDS.typeUrl,
    name,
    body: {
      name,
      type,
      loadAssignment: {
        endpoints: [
          {
            lbEndpoints: [
              { endpoint: { address: { socketAddress: { address: 'db.local', portValue: 1 } } } },
            ],
          },
        ],
      },
    },
  });
  const listed = (name: string, ...addresses: string[]) => ({
    ...endpoints(name, addresses.length > 0 ? [{ zone: 'a', endpoints: addresses }] : []),
    isStatic: true,
  });
  const { nodes } = build([
    dns('found', 'STRICT_DNS'),
    listed('found', '10.0.0.1:1', '10.0.0.2:1 UNHEALTHY'),
    dns('not-found', 'STRICT_DNS'),
    listed('not-found'),
    { typeUrl: CDS.typeUrl, name: 'passthrough', body: { name: 'passthrough', type: 'ORIGINAL_DST' } },
    listed('passthrough'),
    // The name of a static cluster may be that of an EDS resource as well.
    edsCluster('other', 'found-by-eds'),
    dns('found-by-eds', 'STATIC'),
    endpoints('found-by-eds', [{ zone: 'a', endpoints: ['10.0.0.3:1'] }]),
  ]);
  expect(nodes.filter(({ kind }) => kind !== 'locality' && kind !== 'priority').map(reported)).toEqual([
    'cluster found ACKED "2 endpoints, 1 unhealthy · strict DNS · round robin"',
    'endpoint 10.0.0.1:1 HEALTHY ""',
    'endpoint 10.0.0.2:1 UNHEALTHY ""',
    'cluster found-by-eds ACKED "1 endpoint · static · round robin"',
    'endpoint db.local:1 NONE "health not reported"',
    'cluster not-found ACKED "no endpoints · strict DNS · round robin"',
    'cluster other ACKED "1 endpoint · EDS found-by-eds · round robin"',
    'cluster passthrough ACKED "original destination · round robin"',
    'endpoint 10.0.0.3:1 HEALTHY ""',
  ]);
});

test('buildTopology marks localities that gRPC ignores, and empty assignments', () => {
  const mesh = [
    endpoints('none', []),
    endpoints('idle', [{ zone: 'a', weight: 0, endpoints: ['1.1.1.1:1'] }]),
  ];
  const { nodes } = buildTopology({ ...topologyInput(mesh), isGrpc: true });
  expect(find(nodes, 'endpoints:none')).toMatchObject({
    kind: 'endpoints',
    status: 'ACKED',
    detail: 'no endpoints',
  });
  const locality = nodes.find(({ kind }) => kind === 'locality');
  expect(locality?.detail).toBe('weight 0: gRPC skips it · 1 endpoint');
  // Envoy writes the weight 0 if it is not set.
  const ofEnvoy = build(mesh).nodes.find(({ kind }) => kind === 'locality');
  expect(ofEnvoy?.detail).toBe('weight 0 · 1 endpoint');
});

test('buildTopology states all scopes of a route configuration on its edge', () => {
  const routing = { scopeKeyBuilder: { fragments: [{}] }, scopedRds: { scopedRdsConfigSource: { ads: {} } } };
  const manager = {
    '@type':
      'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    scopedRoutes: { name: 'scopes', rdsConfigSource: { ads: {} }, ...routing },
  };
  const scopesOf = (routes: string, keys: readonly string[]) =>
    keys.map((name) => ({
      ...{ typeUrl: SRDS.typeUrl, name },
      body: { name, routeConfigurationName: routes, key: { fragments: [{ stringKey: name }] } },
    }));
  const filterChains = [{ filters: [{ name: 'http', typedConfig: manager }] }];
  const { edges } = build([
    { typeUrl: LDS.typeUrl, name: 'l', body: { name: 'l', filterChains } },
    ...scopesOf('r1', ['a', 'b', 'c', 'd']),
    ...scopesOf('r2', ['e']),
    routeConfig('r1', { '': 'c' }),
    routeConfig('r2', { '': 'c' }),
  ]);
  const labels = edges.filter(({ kind }) => kind === 'rds').map(({ target, label }) => `${target} ${label}`);
  expect(labels).toEqual(['route-config:r1 4 scopes', 'route-config:r2 e']);
});

test('buildTopology marks the resources that came in the v2 API, and not their parts', () => {
  const apiVersion = 'v2' as const;
  const { nodes } = build([
    { ...routeConfig('r', { '': 'cart' }), apiVersion },
    { ...edsCluster('cart'), apiVersion },
    { ...endpoints('cart', [{ zone: 'a', endpoints: ['10.0.3.1:80'] }]), apiVersion },
    edsCluster('new'),
  ]);
  const marked = nodes
    .filter(({ detail }) => detail.startsWith('API v2'))
    .map(({ kind, name }) => `${kind} ${name}`);
  expect(marked).toEqual(['route-config r', 'cluster cart', 'priority P0']);
});
