import { expect, it } from 'vitest';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { edge, extension } from '../../../support/builders/envoy-edge';
import { type MeshResource, topologyInput } from '../../../support/builders/topology-mesh';

const wanting = (version: string) => ({
  metadataMatch: { filterMetadata: { 'envoy.lb': { version } } },
});

/** The cluster "cart" of an Envoy: two hosts have version 1, and one has version 2, which is unhealthy. */
function cart(more: object = {}): MeshResource[] {
  const hosts = ['1', '1', '2'].map((version, at) => ({
    endpoint: { address: { socketAddress: { address: `10.0.0.${at + 1}`, portValue: 80 } } },
    healthStatus: version === '2' ? 'UNHEALTHY' : 'HEALTHY',
    metadata: { filterMetadata: { 'envoy.lb': { version } } },
  }));
  const cluster = {
    ...{ name: 'cart', type: 'EDS', edsClusterConfig: { edsConfig: { ads: {} } } },
    commonLbConfig: { healthyPanicThreshold: {} },
    lbSubsetConfig: { subsetSelectors: [{ keys: ['version'] }] },
    ...more,
  };
  return [
    { typeUrl: CDS.typeUrl, name: 'cart', stage: 'active', body: cluster },
    {
      ...{ typeUrl: EDS.typeUrl, name: 'cart' },
      body: { clusterName: 'cart', endpoints: [{ locality: { zone: 'a' }, lbEndpoints: hosts }] },
    },
  ];
}

/** What the graph states of the routes to "cart", each with the metadata of a version. */
function routesWanting(versions: readonly string[], { cluster = cart(), filters = [] as object[] } = {}) {
  const routes = versions.map((version) => ({
    match: { prefix: `/${version}` },
    route: { cluster: 'cart', ...wanting(version) },
  }));
  const listener = edge(filters);
  const table = {
    typeUrl: 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration',
    name: 'routes',
    body: { name: 'routes', virtualHosts: [{ name: 'all', domains: ['*'], routes }] },
  };
  const { nodes } = buildTopology(topologyInput([listener, table, ...cluster]));
  const of = (kind: string) => nodes.filter((each) => each.kind === kind);
  return {
    routes: of('route').map(({ detail, below }) => ({ detail, below: below?.text ?? '' })),
    listener: of('listener')[0]?.below,
  };
}

it('a route states the hosts of the subset to which its metadata leads', () => {
  const { routes, listener } = routesWanting(['1']);
  expect(routes[0]?.detail).toBe('subset of cart: 2 endpoints');
  expect(listener?.text).toBe('endpoint 10.0.0.3:80 unhealthy');
});

it('the requests of a route fail that finds no host, or none that works', () => {
  const { routes, listener } = routesWanting(['2', '9']);
  expect(routes).toEqual([
    {
      detail: 'subset of cart: 1 endpoint, 1 unhealthy',
      below: expect.stringMatching(
        /^no host for its requests to cluster cart: .* none of them usable \(1 UNHEALTHY\)$/,
      ),
    },
    {
      detail: 'subset of cart: no endpoints',
      below: expect.stringMatching(
        /^no host for its requests .* version=9, and the fallback policy is NO_FALLBACK/,
      ),
    },
  ]);
  expect(listener).toEqual({
    status: 'UNHEALTHY',
    text: expect.stringMatching(/^route .*has no host for its/),
  });
});

it.each([
  ['the metadata of a filter may be added', { filters: [luaOfMetadata()] }],
  ['a setting is not modelled', { cluster: cart(subsetConfig({ allowRedundantKeys: true })) }],
  ['the client may be gRPC', { cluster: cart().map(({ stage: _, ...each }) => each) }],
  ['there are no subsets', { cluster: cart({ lbSubsetConfig: {} }) }],
])('nothing is stated of the hosts of a route if %s', (_, mesh) => {
  expect(routesWanting(['9'], mesh).routes).toEqual([
    { detail: '', below: 'endpoint 10.0.0.3:80 unhealthy' },
  ]);
});

it('a listener whose only TCP proxy finds no host has none', () => {
  const of = (version: string) => {
    const proxy = {
      '@type': `${extension}network.tcp_proxy.v3.TcpProxy`,
      ...{ statPrefix: 'tcp', cluster: 'cart' },
      ...wanting(version),
    };
    const body = {
      ...{ name: 'edge', address: { socketAddress: { address: '0.0.0.0', portValue: 80 } } },
      filterChains: [{ filters: [{ name: 'tcp', typedConfig: proxy }] }],
    };
    const { nodes } = buildTopology(topologyInput([{ typeUrl: LDS.typeUrl, name: 'edge', body }, ...cart()]));
    return nodes.find(({ kind }) => kind === 'listener');
  };
  expect(of('1')?.detail).toBe('0.0.0.0:80 · subset of cart: 2 endpoints');
  expect(of('9')?.below?.text).toMatch(
    /^no host for its requests to cluster cart: no host has the metadata version=9/,
  );
});

function subsetConfig(more: object): object {
  return { lbSubsetConfig: { subsetSelectors: [{ keys: ['version'] }], ...more } };
}

function luaOfMetadata(): object {
  const config = {
    '@type': `${extension}http.lua.v3.Lua`,
    defaultSourceCode: { inlineString: 'function envoy_on_request(h) h:streamInfo() end' },
  };
  return { name: 'lua', typedConfig: config };
}
