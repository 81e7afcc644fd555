import { expect, it } from 'vitest';
import { noFailing } from '@/lib/facts/failing-endpoints';
import { errorOfCluster, statusOfCluster } from '@/lib/resolve/xds-config';
import { listEffect } from '@/lib/views/check/list-effect';
import { buildResolved } from '@/lib/views/resolved/build-resolved';
import { resolvedQuery } from '@/lib/views/resolved/query';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { answerPlay } from '@/server/answers/failover/failover-builder';
import { resolverOver } from '../../support/builders/resolve-mesh';
import { aggregateCluster, type MeshResource, routeConfig } from '../../support/builders/topology-mesh';

const filters = 'type.googleapis.com/envoy.extensions.filters.';
const match = (values: object) => ({ metadataMatch: { filterMetadata: { 'envoy.lb': values } } });
const toCart = (prefix: string, more: object = {}) => ({
  match: { prefix },
  route: { cluster: 'cart', ...more },
});
const filter = (type: string, config: object = {}) => ({
  name: type,
  typedConfig: { '@type': `${filters}http.${type}`, ...config },
});

interface Mesh {
  readonly routes?: readonly object[];
  readonly httpFilters?: readonly object[];
  /** Filters of the chain. */
  readonly networkFilters?: readonly object[];
  readonly listener?: object;
  readonly cluster?: object;
  readonly others?: readonly MeshResource[];
}

/** Two hosts have version 1, and one has version 2, which is unhealthy. */
function open({ routes = [], httpFilters = [], networkFilters = [], listener = {}, ...more }: Mesh) {
  const manager = {
    name: 'http',
    typedConfig: {
      '@type': `${filters}network.http_connection_manager.v3.HttpConnectionManager`,
      rds: { routeConfigName: 'r' },
      httpFilters: [...httpFilters, filter('router.v3.Router')],
    },
  };
  const edge = {
    name: 'edge',
    address: { socketAddress: { address: '0.0.0.0', portValue: 80 } },
    filterChains: [{ filters: [...networkFilters, ...(routes.length === 0 ? [] : [manager])] }],
    ...listener,
  };
  const hosts = ['1', '1', '2'].map((version, at) => ({
    endpoint: { address: { socketAddress: { address: `10.0.0.${at + 1}`, portValue: 80 } } },
    healthStatus: version === '2' ? 'UNHEALTHY' : 'HEALTHY',
    metadata: { filterMetadata: { 'envoy.lb': { version } } },
  }));
  const cluster = {
    name: 'cart',
    type: 'EDS',
    edsClusterConfig: { edsConfig: { ads: {} } },
    commonLbConfig: { healthyPanicThreshold: {} },
    lbSubsetConfig: { subsetSelectors: [{ keys: ['version'] }] },
    ...more.cluster,
  };
  const virtualHosts = [{ name: 'all', domains: ['*'], routes }];
  const resources: MeshResource[] = [
    { typeUrl: LDS.typeUrl, name: 'edge', body: edge },
    { ...routeConfig('r', {}), body: { name: 'r', virtualHosts } },
    { typeUrl: CDS.typeUrl, name: 'cart', body: cluster },
    {
      ...{ typeUrl: EDS.typeUrl, name: 'cart' },
      body: { clusterName: 'cart', endpoints: [{ locality: { zone: 'a' }, lbEndpoints: hosts }] },
    },
    ...(more.others ?? []),
  ];
  const resolver = resolverOver(resources, { start: { listener: 'edge' }, profile: 'envoy' });
  const find = () => {
    const entry = resolver.findCluster('cart');
    if (entry === undefined) throw new Error('expected the cluster, got none');
    return entry;
  };
  return {
    resolver,
    find,
    shown: () => buildResolved(resolver, 'envoy-1.40', resolvedQuery.parse({})).clusters.items[0],
    listed: (status: 'failing' | 'error') =>
      buildResolved(resolver, 'envoy-1.40', resolvedQuery.parse({ status })).clusters.items.map(
        ({ name }) => name,
      ),
    failingRoutes: () =>
      buildResolved(resolver, 'envoy-1.40', resolvedQuery.parse({}))
        .chains.flatMap(({ virtualHosts }) => virtualHosts.flatMap((host) => host.routes))
        .flatMap(({ match: path, clusters: [target] }) => (target?.fails === undefined ? [] : [path])),
    play: (requests?: string) =>
      answerPlay(
        resolver,
        'core-1.85',
        { cluster: 'cart', requests, changes: [], seconds: 0, find: '' },
        { isEnvoy: true },
      ),
  };
}

const one = match({ version: '1' });
const two = match({ version: '2' });
const idOne = '{"version":"1"}';

it('the requests of all routes find one subset, whose shares are known', () => {
  const { find, shown, play } = open({ routes: [toCart('/a', one), toCart('/', one)] });
  expect(statusOfCluster(find())).toBe('ok');
  expect(shown()).toMatchObject({
    subsets: [
      {
        requests: 'requests with version=1 (2 routes)',
        status: 'ok',
        text: expect.stringMatching(/2 of 3 hosts, 2 of them usable \(fallback policy NO_FALLBACK\)/),
      },
    ],
  });
  expect(shown()).not.toHaveProperty('notModelled');
  const { requests, moments, priorities, envoyNotes } = play();
  expect(requests).toBeUndefined();
  expect(priorities[0]?.localities[0]?.endpoints.map(({ address }) => address)).toEqual([
    '10.0.0.1:80',
    '10.0.0.2:80',
  ]);
  expect(moments[0]?.envoy.endpoints).toEqual([[[0.5, 0.5]]]);
  expect(envoyNotes.join()).toContain('fallback policy NO_FALLBACK');
});

it('requests of several kinds have shares when one is chosen', () => {
  const { find, shown, listed, failingRoutes, play } = open({
    routes: [toCart('/a', one), toCart('/b', two), toCart('/c', one), toCart('/')],
  });
  expect(statusOfCluster(find())).toBe('unknown');
  expect(shown()?.notModelled).toMatch(
    /2 of 3 kinds of requests fail: requests with version=2 \(1 route\), requests without metadata_match \(1 route\)$/,
  );
  expect(listed('failing')).toEqual(['cart']);
  expect(listed('error')).toEqual([]);
  expect(failingRoutes()).toEqual(['prefix /b', 'prefix /']);
  const all = play();
  expect(all.moments).toEqual([]);
  expect(all.requests).toMatchObject({
    items: [
      { id: idOne, text: 'requests with version=1 (2 routes)', status: 'ok' },
      { id: '{"version":"2"}', text: 'requests with version=2 (1 route)', status: 'error' },
      { id: '{}', text: 'requests without metadata_match (1 route)', status: 'error' },
    ],
  });
  expect(all.requests?.items[1]?.reason).toContain('none of them usable (1 UNHEALTHY)');
  const failingOf = (id: string) => play(id).moments.map(({ envoy }) => envoy.failing);
  expect([idOne, '{"version":"2"}', '{}'].map(failingOf)).toEqual([[0], [1], [1]]);
  expect(play(idOne).requests?.chosen).toBe(idOne);
  const other = play('{"version":"9"}');
  expect([other.moments, other.requests?.chosen]).toEqual([[], undefined]);
  expect(other.notes.join()).toContain('no route leads requests with the metadata {"version":"9"} to it');
});

it('requests of every kind fail', () => {
  const { find } = open({ routes: [toCart('/a', two), toCart('/')] });
  expect(statusOfCluster(find())).toBe('error');
  expect(errorOfCluster(find())).toMatch(
    /^lb_subset_config: requests with version=2 \(1 route\): .* none of them usable \(1 UNHEALTHY\).*; requests without metadata_match/,
  );
});

it('a fallback policy serves requests without a subset', () => {
  const cluster = {
    lbSubsetConfig: { fallbackPolicy: 'ANY_ENDPOINT', subsetSelectors: [{ keys: ['version'] }] },
  };
  const { find, play } = open({ routes: [toCart('/', match({ version: '9' }))], cluster });
  expect(statusOfCluster(find())).toBe('ok');
  const { moments, envoyNotes } = play();
  expect(moments[0]?.envoy.endpoints).toEqual([[[0.5, 0.5, 0]]]);
  expect(envoyNotes.join()).toContain('the fallback policy is ANY_ENDPOINT');
});

it('weighted clusters and TCP proxies have metadata of their own', () => {
  const clusters = [
    { name: 'cart', weight: 1, ...two },
    { name: 'cart', weight: 1 },
    { name: 'cart', weight: 0, ...match({ version: '9' }) },
  ];
  const weighted = { match: { prefix: '/' }, route: { weightedClusters: { clusters }, ...one } };
  const texts = ({ play }: ReturnType<typeof open>) => play().requests?.items.map(({ text }) => text);
  expect(texts(open({ routes: [weighted] }))).toEqual([
    'requests with version=2 (1 route)',
    'requests with version=1 (1 route)',
  ]);
  const proxy = (more: object) => ({
    name: 'tcp',
    typedConfig: { '@type': `${filters}network.tcp_proxy.v3.TcpProxy`, statPrefix: 'tcp', ...more },
  });
  const single = open({ networkFilters: [proxy({ cluster: 'cart', ...one })] });
  expect(single.shown()?.subsets?.map(({ requests }) => requests)).toEqual([
    'requests with version=1 (1 TCP proxy)',
  ]);
  const tcp = { weightedClusters: { clusters: clusters.slice(0, 2) } };
  expect(texts(open({ networkFilters: [proxy({ ...tcp, ...one })] }))).toEqual([
    'requests with version=2 (1 TCP proxy)',
    'requests with version=1 (1 TCP proxy)',
  ]);
});

it('a header that names the cluster is counted with each', () => {
  const byHeader = { match: { prefix: '/h' }, route: { clusterHeader: 'x-cluster', ...two } };
  const { play } = open({ routes: [byHeader, toCart('/', one)] });
  expect(play().requests?.items.map(({ text }) => text)).toEqual([
    'requests with version=1 (1 route)',
    'requests with version=2 (1 route)',
  ]);
});

const writes = { metadataNamespace: 'envoy.lb', key: 'version' };
const rule = { header: 'x-version', onHeaderPresent: writes };
const overridden = {
  ...toCart('/', one),
  typedPerFilterConfig: {
    h: { '@type': `${filters}http.header_to_metadata.v3.Config`, requestRules: [rule] },
  },
};

it.each<readonly [string, Mesh, RegExp]>([
  ['Lua', { httpFilters: [filter('lua.v3.Lua')] }, /filter lua.v3.Lua can set metadata/],
  [
    'header_to_metadata',
    { httpFilters: [filter('header_to_metadata.v3.Config', { requestRules: [rule] })] },
    /filter header_to_metadata.v3.Config sets metadata/,
  ],
  ['the config of a filter for the route', { routes: [overridden] }, /config of a filter for the route/],
  [
    'a listener filter',
    { listener: { listenerFilters: [{ name: 'p', typedConfig: { rules: [{ onTlvPresent: writes }] } }] } },
    /a filter sets metadata of the connection/,
  ],
  [
    'an aggregate that forwards to it',
    {
      routes: [toCart('/a', one), { match: { prefix: '/' }, route: { cluster: 'both' } }],
      others: [aggregateCluster('both', ['cart'])],
    },
    /requests by aggregate cluster "both"/,
  ],
])('nothing is known of the requests whose metadata comes from %s', (_, mesh, reason) => {
  const { find, play } = open({ routes: [toCart('/', one)], ...mesh });
  expect(statusOfCluster(find())).toBe('unknown');
  const { moments, notes } = play();
  expect(moments).toEqual([]);
  expect(notes.join()).toMatch(reason);
});

it.each<readonly [string, object[]]>([
  ['ext_authz, which has a namespace of its own', [filter('ext_authz.v3.ExtAuthz')]],
  ['header_to_metadata, into another namespace', [filter('header_to_metadata.v3.Config')]],
])('metadata is known beside %s', (_, httpFilters) => {
  expect(statusOfCluster(open({ routes: [toCart('/', one)], httpFilters }).find())).toBe('ok');
});

it('a circuit breaker at its limit leaves the shares unknown, whatever is chosen', () => {
  const { resolver, find, play } = open({ routes: [toCart('/a', one), toCart('/', two)] });
  resolver.setFailing({ ...noFailing, breakers: new Map([['cart', { limits: ['max_requests'] }]]) });
  expect(statusOfCluster(find())).toBe('unknown');
  const { moments, notes } = play(idOne);
  expect(moments).toEqual([]);
  expect(notes.join()).toMatch(/shares are not known. circuit_breakers: [^;]*$/);
});

it('each endpoint of the subset fails, as measured', () => {
  const { resolver, find } = open({ routes: [toCart('/', one)] });
  const addresses = ['10.0.0.1:80', '10.0.0.2:80'];
  const endpoints = new Map(addresses.map((each) => [`cart ${each}`, 'connection' as const]));
  resolver.setFailing({ ...noFailing, endpoints });
  expect(statusOfCluster(find())).toBe('error');
  expect(errorOfCluster(find())).toContain('the client cannot connect to any of the 2 usable endpoints');
});

it('more kinds of requests than are resolved are not known', () => {
  const routes = Array.from({ length: 51 }, (_, at) => toCart(`/${at}/`, match({ version: String(at) })));
  const { find, shown } = open({ routes });
  expect([statusOfCluster(find()), shown()?.subsets]).toEqual(['unknown', []]);
});

it('Check states the shares of each kind of requests, as Failover does', () => {
  const { resolver } = open({
    routes: [
      toCart('/v1', match({ version: '1' })),
      toCart('/v2', match({ version: '2' })),
      toCart('/v3', match({ version: '3' })),
    ],
  });
  const { lines } = listEffect(resolver, 'envoy-1.40', new Set(['cart']));
  const text = lines.find(({ what }) => what === 'cluster')?.text ?? '';
  expect(text.split('; ').slice(-3)).toEqual([
    'requests with version=1 (1 route): P0 a 100%',
    'requests with version=2 (1 route): every request fails',
    'requests with version=3 (1 route): every request fails',
  ]);
});
