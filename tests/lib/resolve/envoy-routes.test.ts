import { describe, expect, it } from 'vitest';
import { buildReferenceReport } from '@/lib/resolve/reference-report';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { buildResolved } from '@/lib/views/resolved/build-resolved';
import { resolvedQuery } from '@/lib/views/resolved/query';
import { RDS } from '@/lib/xds/resource-type';
import { cart, edge, extension, start } from '@/tests/support/builders/envoy-edge';
import { resolverOver } from '@/tests/support/builders/resolve-mesh';
import {
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
  topologyInput,
} from '@/tests/support/builders/topology-mesh';

const headerInput = {
  name: 'header',
  typedConfig: {
    '@type': 'type.googleapis.com/envoy.type.matcher.v3.HttpRequestHeaderMatchInput',
    headerName: 'x-color',
  },
};
const actionType = 'type.googleapis.com/envoy.config.rbac.v3.Action';

describe('a virtual host whose matcher tree chooses the route', () => {
  const to = (name: string, cluster: string) => ({ name, match: { prefix: '/' }, route: { cluster } });
  const routeType = 'type.googleapis.com/envoy.config.route.v3.';
  const route = { '@type': `${routeType}Route`, ...to('one', 'cart') };
  const list = { '@type': `${routeType}RouteList`, routes: [to('two', 'stock'), to('three', 'gone')] };
  const onMatch = (typedConfig: object) => ({ action: { name: 'a', typedConfig } });
  const matcher = {
    matcherTree: { input: headerInput, exactMatchMap: { map: { blue: onMatch(route) } } },
    onNoMatch: onMatch(list),
  };
  const body = { name: 'routes', virtualHosts: [{ name: 'all', domains: ['*'], matcher }] };
  const mesh: readonly MeshResource[] = [
    edge(),
    { typeUrl: RDS.typeUrl, name: 'routes', body },
    ...cart,
    edsCluster('stock'),
    endpoints('stock', []),
  ];

  it('has the clusters of each route to which the tree leads', () => {
    const resolver = resolverOver(mesh, { start, profile: 'envoy' });
    expect([...resolver.listener.clusters.keys()]).toEqual(['cart', 'stock', 'gone']);
    expect(resolver.listener.dynamic).toEqual([]);
  });

  it('refers to them, so that they are no orphans, and one is missing', () => {
    const { orphans, dangling } = buildReferenceReport(topologyInput(mesh));
    expect(orphans).toEqual([]);
    expect(dangling.map(({ name }) => name)).toEqual(['gone']);
  });

  it('has its routes and clusters in the graph, by their fields', () => {
    const topology = buildTopology(topologyInput(mesh));
    const routes = topology.nodes.filter(({ kind }) => kind === 'route');
    expect(routes.map(({ fieldPath }) => fieldPath)).toEqual([
      'virtualHosts[0].matcher.matcherTree.exactMatchMap.map.blue.action.typedConfig',
      'virtualHosts[0].matcher.onNoMatch.action.typedConfig.routes[0]',
      'virtualHosts[0].matcher.onNoMatch.action.typedConfig.routes[1]',
    ]);
    const targets = topology.edges.filter(({ source }) => routes.some(({ id }) => id === source));
    expect(targets.map(({ target }) => target)).toEqual(['cluster:cart', 'cluster:stock', 'cluster:gone']);
  });
});

describe('RBAC filters', () => {
  const rbac = (kind: 'http' | 'network', config: object) => ({
    name: 'rbac',
    typedConfig: { '@type': `${extension}${kind}.rbac.v3.RBAC`, ...config },
  });
  const open = {
    permissions: [{ header: { name: 'x-color', stringMatch: { exact: 'blue' } } }],
    principals: [{ any: true }],
  };
  const policies = { 'ns[shop]-policy[cart]': open, e: open, c: open, d: open };
  const deniedBy = (config: object) => {
    const resolver = resolverOver(
      [edge([rbac('http', config)]), routeConfig('routes', { '/': 'cart' }), ...cart],
      {
        start,
        profile: 'envoy',
      },
    );
    return resolver.listener.chains[0]?.httpFilters[0]?.denied;
  };

  it('that can deny requests state which', () => {
    expect(deniedBy({ rules: { policies } })).toBe(
      'denies requests that match none of its policies: c, d, e and 1 more',
    );
    expect(deniedBy({ rules: { action: 'DENY', policies: { a: open } } })).toBe(
      'denies requests that match one of its policies: a',
    );
    expect(deniedBy({ rules: {} })).toBe('denies all requests: it allows by policies, and has none');
    expect(deniedBy({ matcher: {} })).toBe('denies all requests: its matcher has no action for them');
    const any = { permissions: [{ any: true }], principals: [{ any: true }] };
    expect(deniedBy({ rules: { policies: { any, open } } })).toBe('');
    expect(deniedBy({ rules: { action: 'DENY', policies: { open, any } } })).toBe(
      'denies all requests: policy "any" matches each',
    );
    const predicate = { singlePredicate: { input: headerInput, valueMatch: { exact: 'blue' } } };
    const onMatch = { action: { name: 'a', typedConfig: { '@type': actionType, name: 'a' } } };
    const matcher = { matcherList: { matchers: [{ predicate, onMatch }] } };
    expect(deniedBy({ matcher })).toBe('denies requests as its matcher decides');
  });

  it('that only log or shadow deny none', () => {
    expect(deniedBy({})).toBe('');
    expect(deniedBy({ shadowRules: { policies } })).toBe('');
    expect(deniedBy({ rules: { action: 'LOG', policies } })).toBe('');
    expect(deniedBy({ rules: { action: 'DENY' } })).toBe('');
  });

  it('can be overridden by a virtual host and by a route', () => {
    const perRoute = (fields: object) => ({
      rbac: { '@type': `${extension}http.rbac.v3.RBACPerRoute`, ...fields },
    });
    const off = {
      rbac: { '@type': 'type.googleapis.com/envoy.config.route.v3.FilterConfig', disabled: true },
    };
    const route = (prefix: string, typedPerFilterConfig?: object) => ({
      match: { prefix },
      route: { cluster: 'cart' },
      typedPerFilterConfig,
    });
    const routes: MeshResource = {
      typeUrl: RDS.typeUrl,
      name: 'routes',
      body: {
        name: 'routes',
        virtualHosts: [
          {
            name: 'h',
            domains: ['*'],
            typedPerFilterConfig: perRoute({ rbac: { rules: { action: 'DENY', policies: { a: open } } } }),
            routes: [route('/a'), route('/b', perRoute({})), route('/c', off)],
          },
        ],
      },
    };
    const filters = [rbac('http', { rules: {} })];
    const resolver = resolverOver([edge(filters), routes, ...cart], { start, profile: 'envoy' });
    const { chains } = buildResolved(resolver, 'envoy-1.40', {
      offset: 0,
      limit: 10,
      find: '',
      endpoints: 0,
    });
    expect(chains[0]?.virtualHosts[0]?.routes.map(({ reason }) => reason)).toEqual([
      'for this route, filter "rbac" denies requests that match one of its policies: a',
      'for this route, filter "rbac" denies no requests',
      'for this route, filter "rbac" denies no requests',
    ]);
  });

  it('of the network deny connections', () => {
    const filters = [
      rbac('network', { rules: { action: 'DENY', policies: { a: open } } }),
      rbac('network', {}),
    ];
    const resolver = resolverOver([edge([], filters)], { start, profile: 'envoy' });
    expect(resolver.listener.chains[0]?.otherFilters).toMatchObject([
      { name: 'rbac', clusters: [], denied: 'denies connections that match one of its policies: a' },
      { name: 'rbac', clusters: [], denied: '' },
    ]);
  });
});

describe('routes of an Envoy', () => {
  const routesOf = (host: object, filters: readonly object[] = []) => {
    const body = { name: 'routes', virtualHosts: [{ name: 'all', domains: ['*'], ...host }] };
    const mesh = [edge(filters), { typeUrl: RDS.typeUrl, name: 'routes', body }, ...cart];
    const resolver = resolverOver(mesh, { start, profile: 'envoy' });
    return buildResolved(resolver, 'envoy-1.40', resolvedQuery.parse({})).chains[0];
  };
  const route = (more: object = {}) => ({ match: { prefix: '/' }, route: { cluster: 'cart', ...more } });

  it('state that failed requests are sent again, by their own policy or by that of their virtual host', () => {
    const ofHost = { retryPolicy: { retryOn: '5xx' }, routes: [route()] };
    expect(routesOf(ofHost)?.virtualHosts[0]?.routes[0]?.reason).toBe(
      'failed requests are sent again (retry_on 5xx)',
    );
    const own = { ...ofHost, routes: [route({ retryPolicy: { retryOn: 'reset' } })] };
    expect(routesOf(own)?.virtualHosts[0]?.routes[0]?.reason).toContain('retry_on reset');
  });

  it('state that requests without TLS are redirected', () => {
    const reasonOf = (requireTls: string) =>
      routesOf({ requireTls, routes: [route()] })?.virtualHosts[0]?.routes[0]?.reason;
    expect(reasonOf('ALL')).toContain('redirected to HTTPS (require_tls)');
    expect(reasonOf('EXTERNAL_ONLY')).toContain('of external callers');
  });

  it.each([
    ['aborts every request with status 503', { percentage: { numerator: 100 } }, {}],
    [
      'aborts every request with gRPC status NOT_FOUND',
      { httpStatus: undefined, grpcStatus: 5, percentage: { numerator: 100 } },
      {},
    ],
    [
      'aborts 20% of the requests that match its conditions with the status that a header states',
      { httpStatus: undefined, headerAbort: {}, percentage: { numerator: 20 } },
      {},
    ],
    ['aborts 30% of requests with status 503', { percentage: { numerator: 30 } }, {}],
    [
      'aborts 100% of the requests that match its conditions with status 503',
      { percentage: { numerator: 100 } },
      { upstreamCluster: 'cart' },
    ],
    ['', { percentage: { numerator: 0 } }, {}],
  ])('have a fault filter: "%s"', (denied, abort, more) => {
    const typedConfig = {
      '@type': `${extension}http.fault.v3.HTTPFault`,
      abort: { httpStatus: 503, ...abort },
      ...more,
    };
    const filters = [{ name: 'fault', typedConfig }];
    expect(routesOf({ routes: [route()] }, filters)?.httpFilters[0]?.denied).toBe(denied);
  });
});

it('the note of a listener without routes names the network filter that decides where connections go', () => {
  const listenerWith = (...filters: object[]): MeshResource => ({
    ...edge(),
    body: { name: 'edge', filterChains: [{ name: 'web', filters }] },
  });
  const redis = {
    name: 'redis',
    typedConfig: { '@type': `${extension}network.redis_proxy.v3.RedisProxy`, statPrefix: 'a' },
  };
  const notesOf = (listener: MeshResource) =>
    resolverOver([listener], { start, profile: 'envoy' }).listener.notes;
  expect(notesOf(listenerWith(redis))).toEqual([
    'not modelled: filter "redis" of filter chain "web" decides where its connections go',
  ]);
  expect(notesOf(edge([], [redis])).join()).not.toContain('not modelled');
});

describe('the path of a virtual host that is inline', () => {
  it('counts every network filter before the connection manager', () => {
    const listener = edge(
      [],
      [{ name: 'rbac', typedConfig: { '@type': `${extension}network.rbac.v3.RBAC` } }],
    );
    const inline = JSON.parse(
      JSON.stringify(listener).replace(
        '"rds":{"routeConfigName":"routes"}',
        '"routeConfig":{"virtualHosts":[{"name":"all","domains":["*"]}]}',
      ),
    );
    const resolver = resolverOver([inline], { start, profile: 'envoy' });
    expect(resolver.listener.chains[0]?.hosts.map(({ path }) => path)).toEqual([
      'filterChains[0].filters[1].typedConfig.routeConfig.virtualHosts[0]',
    ]);
  });
});
