import { describe, expect, it } from 'vitest';
import type { Profile } from '@/lib/xds/profile';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { reportAll, resolveResources, resolverOver } from '../../support/builders/resolve-mesh';
import {
  aggregateCluster,
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
} from '../../support/builders/topology-mesh';

const cartEndpoints = endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.1:80', '10.0.0.2:80 UNHEALTHY'] }]);
const payEndpoints = endpoints('pay', [{ zone: 'a', endpoints: ['10.0.1.1:80'] }]);
const shop: readonly MeshResource[] = [
  apiListener('shop', { rds: 'routes' }),
  routeConfig('routes', { '/cart': 'cart', '/pay': { pay: 80, 'pay-next': 0 } }),
  edsCluster('cart'),
  edsCluster('pay'),
  cartEndpoints,
  payEndpoints,
];

const without = (name: string, typeUrl: string) =>
  shop.filter((each) => each.name !== name || each.typeUrl !== typeUrl);
const bare = (typeUrl: string, name: string, overrides: Partial<MeshResource> = {}): MeshResource => ({
  typeUrl,
  name,
  ...overrides,
});

const dnsCluster: MeshResource = {
  typeUrl: CDS.typeUrl,
  name: 'cart',
  body: {
    name: 'cart',
    type: 'LOGICAL_DNS',
    loadAssignment: {
      endpoints: [
        {
          lbEndpoints: [
            { endpoint: { address: { socketAddress: { address: 'cart.local', portValue: 80 } } } },
          ],
        },
      ],
    },
  },
};

describe('what the answers of a client leave open', () => {
  const shopWith = (typeUrl: string, name: string, overrides: Partial<MeshResource>): MeshResource[] =>
    shop.map((each) => (each.typeUrl === typeUrl && each.name === name ? { ...each, ...overrides } : each));

  it('a listener or route configuration in doubt: the config as if it were in effect, and the reason', () => {
    for (const [typeUrl, name, doubt] of [
      [LDS.typeUrl, 'shop', 'deleted'],
      [RDS.typeUrl, 'routes', 'rejected'],
    ] as const) {
      const resolver = resolverOver(shopWith(typeUrl, name, { clientStatus: 'UNKNOWN', doubt }));
      expect(resolver.status).toBe('unknown');
      expect(resolver.listener.doubts).toEqual([expect.stringContaining(`"${name}" was ${doubt}`)]);
      expect(resolver.tally).toMatchObject({ ok: 2, unknown: 0 });
    }
  });

  it('a cluster or its endpoints in doubt: that cluster alone', () => {
    for (const typeUrl of [CDS.typeUrl, EDS.typeUrl]) {
      const resolver = resolverOver(shopWith(typeUrl, 'cart', { doubt: 'added-again' }));
      expect(resolver.status).toBe('resolved');
      expect(resolver.tally).toMatchObject({ ok: 1, unknown: 1 });
    }
  });

  it('a listener without its routes: unknown if it replaced another one, and waiting if it is the first', () => {
    const missing = without('routes', RDS.typeUrl);
    expect(resolverOver(missing).status).toBe('waiting');
    const replaced = missing.map((each) =>
      each.typeUrl === LDS.typeUrl ? { ...each, doubt: 'replaced' as const } : each,
    );
    expect(resolverOver(replaced).status).toBe('unknown');
    expect([...resolverOver(replaced).missing()]).toMatchObject([{ name: 'routes', why: 'in-doubt' }]);
    // With its routes it is in effect.
    expect(resolverOver(shopWith(LDS.typeUrl, 'shop', { doubt: 'replaced' })).status).toBe('resolved');
  });

  it('a resource without a row: in doubt while messages of the client were not recorded', () => {
    const missed = resolveResources([
      bare(CDS.typeUrl, 'another', { clientStatus: 'UNKNOWN', doubt: 'not-recorded' }),
    ]);
    for (const [typeUrl, name] of [
      [LDS.typeUrl, 'shop'],
      [RDS.typeUrl, 'routes'],
      [CDS.typeUrl, 'cart'],
      [EDS.typeUrl, 'cart'],
    ] as const) {
      const resolver = resolverOver(without(name, typeUrl));
      expect([...resolver.missing()]).toMatchObject([{ name, why: 'never-asked' }]);
      resolver.apply({ changed: missed, removed: [] });
      expect([...resolver.missing()]).toMatchObject([{ name, why: 'in-doubt' }]);
      expect(resolver.status).toBe('unknown');
      resolver.apply({ changed: [], removed: missed.map(({ row }) => row) });
      expect([...resolver.missing()]).toMatchObject([{ name, why: 'never-asked' }]);
    }
  });

  it('a resource without a payload whose messages were not recorded', () => {
    for (const [typeUrl, name] of [
      [LDS.typeUrl, 'shop'],
      [RDS.typeUrl, 'routes'],
      [CDS.typeUrl, 'cart'],
      [EDS.typeUrl, 'cart'],
    ] as const) {
      const unrecorded = bare(typeUrl, name, { clientStatus: 'UNKNOWN', doubt: 'not-recorded' });
      const resolver = resolverOver([...without(name, typeUrl), unrecorded]);
      expect([...resolver.missing()]).toMatchObject([{ name, why: 'in-doubt' }]);
      expect(resolver.status).toBe('unknown');
    }
  });

  it('routes that do not exist: Envoy waits for them, with the listener that is replaced in effect', () => {
    const absent = [
      ...without('routes', RDS.typeUrl),
      bare(RDS.typeUrl, 'routes', { clientStatus: 'DOES_NOT_EXIST' }),
    ];
    expect(resolverOver(absent, { profile: 'go' }).status).toBe('error');
    expect(resolverOver(absent, { profile: 'envoy' }).status).toBe('waiting');
    const replaced = absent.map((each) =>
      each.typeUrl === LDS.typeUrl ? { ...each, doubt: 'replaced' as const } : each,
    );
    expect(resolverOver(replaced, { profile: 'envoy' }).status).toBe('unknown');
  });

  it('routes that came first in a response that the client rejected in part', () => {
    const errorState = {
      details: 'another one is invalid',
      versionInfo: 'v1',
      lastUpdateAttempt: 1,
      failedHash: 'x',
      mayBeInEffect: true,
    } as const;
    const rejected = bare(RDS.typeUrl, 'routes', { clientStatus: 'UNKNOWN', errorState });
    const resolver = resolverOver([...without('routes', RDS.typeUrl), rejected], { profile: 'envoy-1.40' });
    expect(resolver.status).toBe('unknown');
  });
});

describe('Resolver', () => {
  it('resolves when every resource of the closure is present', () => {
    const resolver = resolverOver(shop);
    expect(resolver.status).toBe('resolved');
    expect(resolver.listener).toMatchObject({ kind: 'api', authority: 'shop', error: '' });
    const [host] = resolver.listener.chains[0]?.hosts ?? [];
    expect(host).toMatchObject({ routeConfig: 'routes', domain: '*', path: 'virtualHosts[0]' });
    expect([...resolver.clusters()].map(({ entry, uses }) => [entry.name, uses[0]?.how])).toEqual([
      ['cart', 'route'],
      ['pay', 'weighted'],
    ]);
    expect(resolver.findCluster('cart')?.config).toMatchObject({
      ok: true,
      value: { children: { kind: 'endpoints', serviceName: 'cart', use: { endpoints: 2, usable: 1 } } },
    });
  });

  it('reports parts without effect, with path and rule', () => {
    const resolver = resolverOver(shop);
    const all = [
      ...resolver.listener.ignored,
      ...[...resolver.clusters()].flatMap(({ entry }) => entry.ignored),
    ];
    expect(all.map(({ part, path, rule }) => `${part} ${path} ${rule}`)).toEqual([
      'cluster virtualHosts[0].routes[1].route.weightedClusters.clusters[1] R15',
      'endpoint P0 eu / a 10.0.0.2:80 E12',
    ]);
  });

  it.each([
    ['the listener, never asked for', [], 'LDS shop never-asked'],
    ['the listener, asked for', [bare(LDS.typeUrl, 'shop')], 'LDS shop requested'],
    ['the routes', without('routes', RDS.typeUrl), 'RDS routes never-asked'],
    ['a cluster', without('cart', CDS.typeUrl), 'CDS cart never-asked'],
    [
      'endpoints, asked for',
      [...without('cart', EDS.typeUrl), bare(EDS.typeUrl, 'cart')],
      'EDS cart requested',
    ],
    [
      'endpoints whose contents no source reported',
      [...without('cart', EDS.typeUrl), bare(EDS.typeUrl, 'cart', { clientStatus: 'ACKED' })],
      'EDS cart not-reported',
    ],
    [
      'a body that is not stored',
      [...without('cart', CDS.typeUrl), bare(CDS.typeUrl, 'cart', { clientStatus: 'ACKED', hash: 'lost' })],
      'CDS cart unreadable',
    ],
  ])('waits for %s', (_, resources, expected) => {
    const resolver = resolverOver(resources);
    expect(resolver.status).toBe('waiting');
    const services: Record<string, string> = {
      [LDS.typeUrl]: 'LDS',
      [RDS.typeUrl]: 'RDS',
      [CDS.typeUrl]: 'CDS',
      [EDS.typeUrl]: 'EDS',
    };
    const reported = [...resolver.missing()].map(
      ({ typeUrl, name, why }) => `${services[typeUrl]} ${name} ${why}`,
    );
    expect(reported).toEqual([expected]);
  });

  it('lists everything that it waits for', () => {
    const resolver = resolverOver([shop[0], shop[1]].flatMap((each) => each ?? []));
    expect([...resolver.missing()].map(({ name, neededBy }) => [name, neededBy])).toEqual([
      ['cart', 'the route configuration'],
      ['pay', 'the route configuration'],
    ]);
  });

  const gone = { clientStatus: 'DOES_NOT_EXIST' } as const;
  it.each<[string, readonly MeshResource[], string]>([
    ['the listener does not exist', [bare(LDS.typeUrl, 'shop', gone)], 'listener "shop" does not exist'],
    [
      'the listener was rejected, with nothing good before',
      [
        bare(LDS.typeUrl, 'shop', {
          clientStatus: 'NACKED',
          errorState: { details: 'no filter', versionInfo: '2', lastUpdateAttempt: null, failedHash: null },
        }),
      ],
      'listener "shop" was rejected: no filter',
    ],
    [
      'the routes was not received in time',
      [...without('routes', RDS.typeUrl), bare(RDS.typeUrl, 'routes', { clientStatus: 'TIMEOUT' })],
      'route configuration "routes" was not received in time',
    ],
    [
      'the listener is a socket listener',
      [{ typeUrl: LDS.typeUrl, name: 'shop', body: { name: 'shop', filterChains: [] } }],
      'listener "shop" is a socket listener, not an API listener',
    ],
    [
      'no virtual host matches',
      [apiListener('shop', { inline: { name: 'own', virtualHosts: [{ domains: ['other'], routes: [] }] } })],
      'route configuration "own": no virtual host has a domain that matches "shop"',
    ],
  ])('fails as a whole when %s', (_, resources, error) => {
    const resolver = resolverOver(resources);
    expect([resolver.status, resolver.listener.error]).toEqual(['error', error]);
  });

  it('is not known when no virtual host matches in gRPC-Go 1.64, which keeps the routes before', () => {
    const inline = { name: 'own', virtualHosts: [{ domains: ['other'], routes: [] }] };
    const { status, listener } = resolverOver([apiListener('shop', { inline })], { profile: 'go-1.64' });
    expect([status, listener.error]).toEqual(['unknown', '']);
    expect(listener.doubts).toEqual([
      'route configuration "own": no virtual host has a domain that matches "shop". gRPC-Go 1.64 keeps the routes that it had before, if any',
    ]);
  });

  it('limits an error of one cluster to that cluster', () => {
    const resolver = resolverOver([...without('cart', CDS.typeUrl), bare(CDS.typeUrl, 'cart', gone)]);
    expect(resolver.status).toBe('resolved');
    expect(resolver.findCluster('cart')?.config).toEqual({
      ok: false,
      error: 'cluster "cart" does not exist',
      why: 'absent',
    });
    expect(resolver.findCluster('pay')?.config?.ok).toBe(true);
  });

  it('makes an error of endpoints a note', () => {
    const resolver = resolverOver([...without('cart', EDS.typeUrl), bare(EDS.typeUrl, 'cart', gone)]);
    expect(resolver.status).toBe('resolved');
    expect(resolver.findCluster('cart')?.config).toMatchObject({
      ok: true,
      value: { children: { resolutionNote: 'endpoints "cart" does not exist', endpoints: null } },
    });
  });

  it('uses the last good config beside an error, and notes it (gRFC A88)', () => {
    const nacked = {
      ...edsCluster('cart'),
      clientStatus: 'NACKED',
      errorState: { details: 'bad', versionInfo: '2', lastUpdateAttempt: null, failedHash: null },
    } as const;
    const resolver = resolverOver([...without('cart', CDS.typeUrl), nacked]);
    expect(resolver.status).toBe('resolved');
    expect(resolver.findCluster('cart')?.config).toMatchObject({
      value: { resource: { note: 'cluster "cart" was rejected: bad; the last good config stays in use' } },
    });
  });

  const cartOf = (state: Partial<MeshResource>, profile: Profile = 'core-1.56') =>
    resolverOver([...without('cart', CDS.typeUrl), { ...edsCluster('cart'), ...state }], { profile });
  const errorOf = (details: string, failedHash: string | null = null) => ({
    errorState: { details, versionInfo: '2', lastUpdateAttempt: null, failedHash },
  });

  it('uses a deleted resource that C-core keeps, which it reports with an error (1.71 and later)', () => {
    expect(cartOf({ ...gone, ...errorOf('does not exist') }).findCluster('cart')?.config).toMatchObject({
      ok: true,
      value: {
        resource: {
          note: 'cluster "cart" does not exist: does not exist; the last good config stays in use',
        },
      },
    });
  });

  it('does not use a deleted resource whose config C-core reports without an error (until 1.69)', () => {
    expect(cartOf(gone).findCluster('cart')?.config).toEqual({
      ok: false,
      error: 'cluster "cart" does not exist',
      why: 'absent',
    });
  });

  it('states what a rejection means for Java depends on its bootstrap', () => {
    const note =
      'cluster "cart" was rejected: bad; the last good config stays in use, unless its bootstrap has';
    expect(
      cartOf({ clientStatus: 'NACKED', ...errorOf('bad') }, 'java-1.85').findCluster('cart')?.config,
    ).toMatchObject({
      value: { resource: { note: expect.stringContaining(note) } },
    });
  });

  it('does not use a payload that was rejected first', () => {
    const rejected = { hash: null, clientStatus: 'NACKED', ...errorOf('bad', 'hash-5') } as const;
    expect(cartOf(rejected).findCluster('cart')?.config).toMatchObject({
      ok: false,
      error: 'cluster "cart" was rejected: bad',
    });
  });

  it('does not decide whether a payload was accepted before a rejection, if messages were not recorded', () => {
    const rejected = { hash: null, clientStatus: 'NACKED', ...errorOf('bad', 'hash-5') } as const;
    const resolver = cartOf({ ...rejected, doubt: 'not-recorded' });
    expect([...resolver.missing()]).toMatchObject([{ name: 'cart', why: 'in-doubt' }]);
    expect(resolver.status).toBe('unknown');
  });

  it('waits for a cluster that warms, and does not use one that drains', () => {
    const warming = cartOf({ stage: 'warming' }, 'envoy-1.40');
    expect([...warming.missing()]).toMatchObject([{ name: 'cart', why: 'warming' }]);
    const draining = cartOf({ stage: 'draining' }, 'envoy-1.40');
    expect(draining.findCluster('cart')?.config).toMatchObject({
      error: expect.stringContaining('cluster "cart" drains'),
    });
    const next = [
      { stage: 'warming', versionInfo: 'v2', lastUpdated: null, hash: 'hash-5', sizeBytes: 1 },
    ] as const;
    expect(
      cartOf({ stage: 'active', otherVersions: next }, 'envoy-1.40').findCluster('cart')?.config?.ok,
    ).toBe(true);
  });

  it('uses what was in effect before the client ACKed a payload that it had rejected', () => {
    const acked = { hash: 'hash-5', clientStatus: 'ACKED', ...errorOf('bad', 'hash-5') } as const;
    expect(cartOf(acked).findCluster('cart')?.config).toBeNull();
    const before = [
      { stage: 'active', versionInfo: 'v1', lastUpdated: null, hash: 'hash-0', sizeBytes: 1 },
    ] as const;
    const [first] = resolveResources([{ ...edsCluster('cart'), ...acked, otherVersions: before }]);
    expect(first?.model).toMatchObject({ kind: 'cluster' });
  });

  it('accepts logical DNS without endpoints, which only the client resolves', () => {
    const resolver = resolverOver([...without('cart', CDS.typeUrl), dnsCluster]);
    expect(resolver.status).toBe('resolved');
    expect(resolver.findCluster('cart')?.config).toMatchObject({
      value: { children: { kind: 'dns', hosts: ['cart.local:80'] } },
    });
  });

  it('rejects a static cluster for gRPC and accepts it for Envoy', () => {
    const fixed = { typeUrl: CDS.typeUrl, name: 'cart', body: { name: 'cart' } };
    const resources = [...without('cart', CDS.typeUrl), fixed];
    expect(resolverOver(resources).findCluster('cart')?.config?.ok).toBe(false);
    expect(resolverOver(resources, { profile: 'envoy-1.40' }).findCluster('cart')?.config?.ok).toBe(true);
  });

  it('includes the leaves of aggregates in the closure', () => {
    const resolver = resolverOver([
      apiListener('shop', { rds: 'routes' }),
      routeConfig('routes', { '': 'A' }),
      aggregateCluster('A', ['B', 'C']),
      aggregateCluster('C', ['B', 'D']),
      edsCluster('B'),
    ]);
    expect([...resolver.clusters()].map(({ entry }) => entry.name)).toEqual(['A', 'B', 'C', 'D']);
    expect([...resolver.missing()].map(({ name }) => name)).toEqual(['B', 'D']);
    resolver.apply({
      changed: resolveResources([edsCluster('D'), endpoints('B', []), endpoints('D', [])]),
      removed: [],
    });
    expect(resolver.status).toBe('resolved');
    expect(resolver.findCluster('A')?.config).toMatchObject({
      value: { children: { leafClusters: ['B', 'D'] } },
    });
  });

  it('matches xdstp names in any spelling (gRFC A47)', () => {
    const name = (params: string) => `xdstp://a/envoy.config.cluster.v3.Cluster/c?${params}`;
    const service = (params: string) =>
      `xdstp://a/envoy.config.endpoint.v3.ClusterLoadAssignment/e?${params}`;
    const resolver = resolverOver([
      apiListener('shop', { rds: 'routes' }),
      routeConfig('routes', { '': name('y=2&x=1') }),
      edsCluster(name('x=1&y=2'), service('q=1&p=2')),
    ]);
    expect([...resolver.missing()].map((missing) => missing.name)).toEqual([service('p=2&q=1')]);
    resolver.apply({ changed: resolveResources([endpoints(service('q=1&p=2'), [])]), removed: [] });
    expect(resolver.status).toBe('resolved');
    expect([...resolver.clusters()].map(({ entry }) => entry.name)).toEqual([name('x=1&y=2')]);
  });

  it('watches clusters that filters and logs call only for Envoy', () => {
    const grpcService = { envoyGrpc: { clusterName: 'als' } };
    const typedConfig = {
      '@type':
        'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
      rds: { routeConfigName: 'routes' },
      accessLog: [{ typedConfig: { commonConfig: { grpcService } } }],
    };
    const body = { name: 'server', filterChains: [{ filters: [{ typedConfig }] }] };
    const resources = [{ typeUrl: LDS.typeUrl, name: 'server', body }, ...shop.slice(1)];
    const start = { listener: 'server' };
    const asEnvoy = resolverOver(resources, { start, profile: 'envoy-1.40' });
    expect([...asEnvoy.clusters()].map(({ entry, uses }) => [entry.name, uses[0]?.how])).toEqual([
      ['cart', 'route'],
      ['pay', 'weighted'],
      ['als', 'service'],
    ]);
    expect(resolverOver(resources, { start }).clusterCount).toBe(0);
  });

  it('watches only the clusters of the selected virtual host', () => {
    const virtualHosts = [
      { name: 'other', domains: ['other'], routes: [{ match: { prefix: '' }, route: { cluster: 'x' } }] },
      { name: 'own', domains: ['shop'], routes: [{ match: { prefix: '' }, route: { cluster: 'y' } }] },
    ];
    const resources = [apiListener('shop', { inline: { name: 'r', virtualHosts } })];
    expect([...resolverOver(resources).clusters()].map(({ entry }) => entry.name)).toEqual(['y']);
    const asEnvoy = resolverOver(resources, {
      profile: 'envoy-1.40',
      start: { listener: 'shop' },
    });
    expect([...asEnvoy.clusters()].map(({ entry }) => entry.name)).toEqual(['x', 'y']);
  });

  it('reports what gRPC ignores and Envoy uses', () => {
    const scoped = {
      typeUrl: LDS.typeUrl,
      name: 'shop',
      body: {
        name: 'shop',
        apiListener: {
          apiListener: {
            '@type':
              'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
            scopedRoutes: { scopedRds: {} },
          },
        },
      },
    };
    expect(resolverOver([scoped]).listener.error).toBe(
      'scoped routes: supported by Envoy, not by gRPC (rule L12)',
    );
    const scope = {
      typeUrl: 'type.googleapis.com/envoy.config.route.v3.ScopedRouteConfiguration',
      name: 's',
      body: { name: 's', routeConfigurationName: 'routes', key: { fragments: [{ stringKey: 'eu' }] } },
    };
    const asEnvoy = resolverOver([scoped, scope, ...shop.slice(1)], { profile: 'envoy-1.40' });
    expect(asEnvoy.status).toBe('resolved');
    expect(asEnvoy.listener.chains[0]?.routeConfigs[0]).toMatchObject({ source: 'scoped', scope: 'eu' });
    const vhds = {
      typeUrl: RDS.typeUrl,
      name: 'routes',
      body: { name: 'routes', vhds: {}, virtualHosts: [] },
    };
    const grpc = resolverOver([apiListener('shop', { rds: 'routes' }), vhds]);
    expect(grpc.listener.notes).toEqual(['Virtual hosts on demand (VHDS): supported by Envoy, not by gRPC']);
  });

  it('resolves a server listener chain by chain, and watches its clusters only for Envoy', () => {
    const manager = (routeConfigName: string) => ({
      typedConfig: {
        '@type':
          'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
        rds: { routeConfigName },
      },
    });
    const server = {
      typeUrl: LDS.typeUrl,
      name: 'server',
      body: {
        address: { socketAddress: { address: '0.0.0.0', portValue: 80 } },
        filterChains: [{ name: 'one', filters: [manager('routes')] }],
        defaultFilterChain: { filters: [manager('gone')] },
      },
    };
    const start = { listener: 'server' };
    const resources = [server, ...shop.slice(1), bare(RDS.typeUrl, 'gone', gone)];
    const grpc = resolverOver(resources, { start });
    expect(grpc.listener).toMatchObject({ kind: 'server', address: '0.0.0.0:80', error: '' });
    expect([grpc.status, grpc.clusterCount]).toEqual(['resolved', 0]);
    expect(grpc.listener.notes).toEqual([
      'filter chain "default": every RPC fails with UNAVAILABLE: route configuration "gone" does not exist',
      'A gRPC server does not forward requests: RPCs that match a forwarding route fail with UNAVAILABLE (S9)',
    ]);
    const asEnvoy = resolverOver(resources, { start, profile: 'envoy-1.40' });
    expect([...asEnvoy.clusters()].map(({ entry }) => entry.name)).toEqual(['cart', 'pay']);
  });
});

describe('routes that have no effect', () => {
  const routesOf = (...routes: object[]) =>
    apiListener('shop', { inline: { name: 'r', virtualHosts: [{ domains: ['*'], routes }] } });
  const to = (match: object, cluster = 'c') => ({ match, route: { cluster } });
  const grpc: readonly Profile[] = ['core-1.56', 'go-1.73', 'java-1.85', 'node-1.14'];
  const cases: [string, object[], readonly Profile[], string, boolean][] = [
    [
      'with query parameters (R6)',
      [to({ prefix: '', queryParameters: [{ name: 'q' }] })],
      grpc.filter((profile) => profile !== 'node-1.14'),
      'R6',
      false,
    ],
    ['with a path that C-core drops (R9)', [to({ prefix: '/a/b/c' })], ['core-1.56'], 'R9', false],
    [
      'with a path that others keep and never match (R9)',
      [to({ path: '/a' })],
      ['go-1.73', 'java-1.85', 'node-1.14'],
      'R9',
      true,
    ],
    [
      'with a cluster from a header (R13)',
      [{ match: { prefix: '' }, route: { clusterHeader: 'h' } }],
      grpc,
      'R13',
      false,
    ],
    [
      'with a plugin that is optional and unknown (R14)',
      [{ match: { prefix: '' }, route: { clusterSpecifierPlugin: 'p' } }],
      [],
      'R14',
      false,
    ],
  ];
  it.each(cases)('%s', (_, routes, profiles, rule, isWatched) => {
    for (const profile of profiles) {
      const { listener } = resolverOver([routesOf(...routes)], { profile });
      expect([profile, listener.ignored.map((ignored) => ignored.rule)]).toEqual([profile, [rule]]);
      expect([profile, listener.clusters.has('c')]).toEqual([profile, isWatched]);
    }
    expect(resolverOver([routesOf(...routes)], { profile: 'envoy-1.40' }).listener.ignored).toEqual([]);
  });

  it('with query parameters are used by Node, which does not read them', () => {
    const route = to({ prefix: '', queryParameters: [{ name: 'q' }] });
    const { listener } = resolverOver([routesOf(route)], { profile: 'node-1.14' });
    expect([listener.ignored, listener.clusters.has('c')]).toEqual([[], true]);
  });

  it('after a route that matches every request lead to clusters that are watched', () => {
    const { listener } = resolverOver([routesOf(to({ prefix: '' }), to({ prefix: '/a' }, 'late'))]);
    expect(listener.clusters.has('late')).toBe(true);
  });

  it('after a route that matches a fraction of requests are used', () => {
    const share = { prefix: '', runtimeFraction: { defaultValue: { numerator: 10 } } };
    expect(resolverOver([routesOf(to(share), to({ prefix: '' }))]).listener.ignored).toEqual([]);
  });

  it('reports clusters that only requests name', () => {
    const inline = {
      name: 'r',
      clusterSpecifierPlugins: [
        {
          extension: {
            name: 'rls',
            typedConfig: {
              '@type': 'type.googleapis.com/grpc.lookup.v1.RouteLookupClusterSpecifier',
              routeLookupConfig: { defaultTarget: 'fallback' },
            },
          },
        },
        { extension: { name: 'odd', typedConfig: { '@type': 'x/odd' } }, isOptional: true },
      ],
      virtualHosts: [
        {
          domains: ['*'],
          routes: [
            { match: { prefix: '/odd' }, route: { clusterSpecifierPlugin: 'odd' } },
            { match: { prefix: '' }, route: { clusterSpecifierPlugin: 'rls' } },
          ],
        },
      ],
    };
    const { listener } = resolverOver([apiListener('shop', { inline })]);
    expect(listener.ignored.map(({ rule }) => rule)).toEqual(['R14']);
    expect(listener.dynamic).toMatchObject([{ plugin: 'rls' }]);
    expect(listener.clusters.get('fallback')).toEqual([{ how: 'plugin', by: 'route "every path"' }]);
  });
});

it('a resolver that gets updates in parts has the same result as one that gets them at once', () => {
  const pieces = resolverOver([]);
  for (const each of resolveResources(shop)) pieces.apply({ changed: [each], removed: [] });
  expect(reportAll(pieces)).toEqual(reportAll(resolverOver(shop)));
});

it('Resolver reports whether each resource in use was received in the v2 API', () => {
  const resolver = resolverOver([
    apiListener('shop', { rds: 'r' }),
    { ...routeConfig('r', { '': 'a' }), apiVersion: 'v2' },
  ]);
  expect(resolver.listener.listener).not.toHaveProperty('apiVersion');
  expect(resolver.listener.chains[0]?.routeConfigs[0]?.resource).toMatchObject({
    name: 'r',
    apiVersion: 'v2',
  });
});

it('resources that no stream requests are not known to be missing if the client may hold what it has withdrawn', () => {
  const statesOf = (mesh: readonly MeshResource[], mayHoldWithdrawn: boolean) => {
    const resolver = resolverOver(mesh, { profile: 'go', mayHoldWithdrawn });
    return [resolver.status, ...[...resolver.missing()].map(({ name, why }) => `${name} ${why}`)];
  };
  const withoutRoutes = without('routes', RDS.typeUrl);
  expect(statesOf(withoutRoutes, false)).toEqual(['waiting', 'routes never-asked']);
  expect(statesOf(withoutRoutes, true)).toEqual(['unknown', 'routes in-doubt']);
  const withoutEndpoints = without('pay', EDS.typeUrl);
  expect(statesOf(withoutEndpoints, true)).toEqual(['unknown', 'pay in-doubt']);
  // The client requests its listeners from the server to which it has returned.
  expect(statesOf(without('shop', LDS.typeUrl), true)).toEqual(['waiting', 'shop never-asked']);
});
