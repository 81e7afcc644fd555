import { describe, expect, it } from 'vitest';
import { bodyInEffect } from '@/lib/facts/effect';
import { defaultStart, findStarts, startsOfEnvoy } from '@/lib/resolve/find-starts';
import { buildReferenceReport } from '@/lib/resolve/reference-report';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { buildResolved } from '@/lib/views/resolved/build-resolved';
import { resolvedQuery } from '@/lib/views/resolved/query';
import { CDS, LDS, RDS, SDS } from '@/lib/xds/resource-type';
import { reportAll, resolveResources, resolverOver } from '@/tests/support/builders/resolve-mesh';
import {
  aggregateCluster,
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
  topologyInput,
} from '@/tests/support/builders/topology-mesh';

const extension = 'type.googleapis.com/envoy.extensions.filters.';
const start = { listener: 'edge' };

function edge(filters: readonly object[] = [], networkFilters: readonly object[] = []): MeshResource {
  const manager = {
    '@type': `${extension}network.http_connection_manager.v3.HttpConnectionManager`,
    rds: { routeConfigName: 'routes' },
    httpFilters: filters,
  };
  return {
    typeUrl: LDS.typeUrl,
    name: 'edge',
    body: {
      name: 'edge',
      address: { socketAddress: { address: '0.0.0.0', portValue: 80 } },
      filterChains: [{ filters: [...networkFilters, { name: 'hcm', typedConfig: manager }] }],
    },
  };
}

const cart = [edsCluster('cart'), endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.1:80'] }])];

describe('a route to a cluster that Envoy does not have', () => {
  const resources = [edge(), routeConfig('routes', { '/cart': 'cart', '/': 'gone' }), ...cart];

  it('leaves the listener active: requests to the cluster are answered with 503', () => {
    const resolver = resolverOver(resources, { start, profile: 'envoy' });
    expect([resolver.status, [...resolver.missing()]]).toEqual(['resolved', []]);
    expect(resolver.findCluster('gone')?.config).toMatchObject({
      ok: false,
      why: 'absent',
      error: expect.stringMatching(/has none of this name.*503/),
    });
  });

  it('is resolved when the cluster comes, and is an error again when it leaves', () => {
    const resolver = resolverOver(resources, { start, profile: 'envoy' });
    const [row] = topologyInput([edsCluster('gone')]).rows;
    if (row === undefined) throw new Error('expected a row, got none');
    resolver.apply({
      changed: [{ row, model: topologyInput([edsCluster('gone')]).modelOf('hash-0', row.typeUrl) }],
      removed: [],
    });
    // Its endpoints are awaited: the cluster warms.
    expect(resolver.status).toBe('waiting');
    resolver.apply({ changed: [], removed: [row] });
    expect([resolver.status, resolver.findCluster('gone')?.config?.ok]).toEqual(['resolved', false]);
  });

  it('a member of an aggregate that Envoy does not have is skipped', () => {
    const mesh = [
      edge(),
      routeConfig('routes', { '/': 'all' }),
      aggregateCluster('all', ['gone', 'cart']),
      ...cart,
    ];
    const resolver = resolverOver(mesh, { start, profile: 'envoy' });
    expect(resolver.findCluster('all')?.config).toMatchObject({
      value: { children: { leafClusters: ['cart'], waiting: [], skipped: [{ name: 'gone' }] } },
    });
  });
});

describe('a route configuration that Envoy requests and has not accepted', () => {
  const requested = { typeUrl: RDS.typeUrl, name: 'routes', clientStatus: 'REQUESTED', hash: null } as const;
  const resolverOf = (listener: Partial<MeshResource>, profile: 'envoy' | 'go' = 'envoy') =>
    resolverOver([{ ...edge(), ...listener }, requested], { start, profile });

  it('lets each request to an active listener fail', () => {
    for (const listener of [{ stage: 'active' }, { isStatic: true }] as const) {
      const resolver = resolverOf(listener);
      expect([resolver.status, [...resolver.missing()]]).toEqual(['error', []]);
      expect(resolver.listener.error).toMatch(/404: route configuration "routes": none was accepted/);
    }
  });

  it('is awaited by a listener that is not known to be active, and by one in a bootstrap file', () => {
    for (const listener of [{}, { isStatic: true, doubt: 'configured' }] as const)
      expect(resolverOf(listener).status).toBe('waiting');
  });
});

describe('a new listener that Envoy rejected', () => {
  const rejected: MeshResource = {
    ...edge(),
    name: 'bad',
    clientStatus: 'NACKED',
    state: 'NACKED',
    hash: null,
    errorState: { details: 'bad', versionInfo: '2', lastUpdateAttempt: null, failedHash: 'x' },
  };
  const nameless = { ...edge(), name: '' };

  it('does not exist', () => {
    const resolver = resolverOver([rejected], { start: { ...start, listener: 'bad' }, profile: 'envoy' });
    expect([resolver.status, resolver.listener.error]).toEqual(['error', 'listener "bad" was rejected: bad']);
  });

  const startsOf = (mesh: readonly MeshResource[]) => {
    const { rows, modelOf } = topologyInput(mesh);
    const models = new Map(
      rows.map((row) => {
        const hash = bodyInEffect(row);
        return [row.name, hash === undefined ? undefined : modelOf(hash, row.typeUrl)];
      }),
    );
    return findStarts(rows, ({ name }) => models.get(name));
  };

  it('is the last of the possible starts, and one without a name is never the default', () => {
    expect(startsOf([rejected, nameless, edge()]).map(({ listener }) => listener)).toEqual([
      '',
      'edge',
      'bad',
    ]);
    expect(defaultStart(startsOf([rejected, nameless, edge()]))).toBe('edge');
    expect(defaultStart(startsOf([nameless]))).toBeUndefined();
  });

  it('is no API listener of an Envoy, which ACKs and ignores it', () => {
    const api = apiListener('api', { rds: 'routes' });
    expect(defaultStart(startsOf([edge(), api]))).toBe('api');
    expect(startsOfEnvoy(startsOf([edge(), api])).map((start) => start.listener)).toEqual(['edge']);
    const asEnvoy = resolverOver([api, routeConfig('routes', { '/': 'cart' }), ...cart], {
      start: { ...start, listener: 'api' },
      profile: 'envoy',
    });
    expect(asEnvoy.listener.notes).toContainEqual(expect.stringMatching(/^Envoy ACKs an API listener/));
  });
});

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

describe('a config dump without endpoints', () => {
  const dumped = (name: string): MeshResource => ({ ...edsCluster(name), stage: 'active' });
  const resources = [
    { ...edge(), stage: 'active' as const },
    routeConfig('routes', { '/cart': 'cart', '/': 'users' }),
    dumped('cart'),
    dumped('users'),
  ];
  const open = (all: readonly MeshResource[]) => resolverOver(all, { start, profile: 'envoy' });

  it('leaves the endpoints unknown: Envoy does not wait for them', () => {
    const resolver = open(resources);
    expect([resolver.status, resolver.tally.waiting, resolver.tally.unknown]).toEqual(['unknown', 0, 2]);
    const [first] = resolver.missing();
    expect(first?.text).toBe('the config dump has no endpoints: it was written without include_eds');
  });

  it('is one with endpoints as soon as one is reported: then Envoy waits for the others', () => {
    const resolver = open(resources);
    const added = endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.1:80'] }]);
    resolver.apply({ changed: resolveResources([...resources, added]).slice(-1), removed: [] });
    expect([resolver.status, resolver.tally.ok, resolver.tally.waiting]).toEqual(['waiting', 1, 1]);
    expect(reportAll(resolver)).toEqual(reportAll(open([...resources, added])));
  });

  it('is none of the references that the client does not hold', () => {
    const reasons = buildReferenceReport(topologyInput(resources)).dangling.map(({ reason }) => reason);
    expect(new Set(reasons)).toEqual(new Set([open(resources).missing().next().value?.text]));
  });

  it('is not assumed of rows without stages, as those of CSDS', () => {
    const resolver = open(resources.map(({ stage: _, ...row }) => row));
    expect([resolver.status, resolver.tally.waiting]).toEqual(['waiting', 2]);
  });
});

describe('what a config dump leaves out, as with name_regex', () => {
  const active = { stage: 'active' } as const;
  const states = (all: readonly MeshResource[]) => {
    const resolver = resolverOver(all, { start, profile: 'envoy' });
    const { nodes } = buildTopology(topologyInput(all));
    const left = nodes.filter(
      ({ hash, kind }) => hash === undefined && ['route-config', 'cluster'].includes(kind),
    );
    return [
      resolver.status,
      [...resolver.missing()].map(({ why, text }) => `${why}: ${text}`),
      left.map(({ name, status, detail }) => `${name}: ${status}, ${detail}`),
      buildReferenceReport(topologyInput(all)).dangling.map(({ name, reason }) => `${name}: ${reason}`),
    ];
  };

  it('is not known to be missing: a route configuration', () => {
    const text =
      'it is not in the config dump: Envoy leaves out a route configuration of which it has accepted none, and name_regex or resource those that do not match';
    const unknown = [
      'unknown',
      [`in-doubt: ${text}`],
      ['routes: UNKNOWN, not reported'],
      [`routes: ${text}`],
    ];
    expect(states([{ ...edge(), ...active }])).toEqual(unknown);
    // Others show nothing of it.
    expect(
      states([
        { ...edge(), ...active },
        { ...routeConfig('other', {}), ...active },
      ]),
    ).toEqual(unknown);
  });

  it('is not known to be missing: a cluster, if the dump has none', () => {
    const text = 'the config dump has no clusters: it was read in part, as with name_regex or resource';
    const routes = { ...routeConfig('routes', { '/': 'cart' }), ...active };
    expect(states([{ ...edge(), ...active }, routes])).toEqual([
      ...['unknown', [`in-doubt: ${text}`], ['cart: UNKNOWN, not reported'], [`cart: ${text}`]],
    ]);
  });

  it('is not known to be missing: what is not static, of a bootstrap file', () => {
    const text = 'it is not in the bootstrap file, which has only static resources';
    const [status, missing] = states([{ ...edge(), isStatic: true, doubt: 'configured' }]);
    expect([status, missing]).toEqual(['unknown', [`in-doubt: ${text}`]]);
  });
});

describe('a secret that Envoy rejected and lists as active', () => {
  const context = {
    '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext',
    commonTlsContext: { tlsCertificateSdsSecretConfigs: [{ name: 'cert', sdsConfig: { ads: {} } }] },
  };
  const plain = edge();
  const [chain] = (plain.body as { filterChains: object[] }).filterChains;
  const secured: MeshResource = {
    ...plain,
    body: {
      ...plain.body,
      filterChains: [{ ...chain, transportSocket: { name: 'tls', typedConfig: context } }],
    },
  };
  const secret = (over: Partial<MeshResource>): MeshResource => ({
    ...{ typeUrl: SDS.typeUrl, name: 'cert', stage: 'active', hash: 'bad' },
    ...over,
  });
  const error = { details: 'bad', versionInfo: '1', lastUpdateAttempt: null, failedHash: 'bad' };
  const stateOf = (over: Partial<MeshResource>) => {
    const mesh = [secured, routeConfig('routes', { '/': 'cart' }), ...cart, secret(over)];
    const resolver = resolverOver(mesh, { start, profile: 'envoy' });
    return [resolver.status, resolver.listener.error, resolver.listener.doubts.length];
  };

  it('is not known to serve a listener, although Envoy ACKs it on its next stream', () => {
    expect(stateOf({ clientStatus: 'ACKED', errorState: error })).toEqual(['unknown', '', 1]);
    expect(stateOf({ clientStatus: 'ACKED', errorState: null })).toEqual(['resolved', '', 0]);
    expect(stateOf({ clientStatus: 'ACKED', errorState: { ...error, failedHash: 'other' } })).toEqual([
      ...['resolved', '', 0],
    ]);
  });

  it('serves none if no update was accepted', () => {
    const [status, text] = stateOf({ clientStatus: 'NACKED', errorState: { ...error, successes: 0 } });
    expect([status, text]).toEqual(['error', expect.stringMatching(/accepts no connection.*"cert"/)]);
  });
});

it('the addresses of a DNS cluster are those of the config dump, if it has them', () => {
  const dns: MeshResource = {
    ...{ typeUrl: CDS.typeUrl, name: 'site', stage: 'active' },
    body: {
      ...{ name: 'site', type: 'STRICT_DNS' },
      loadAssignment: {
        clusterName: 'site',
        endpoints: [
          {
            lbEndpoints: [
              { endpoint: { address: { socketAddress: { address: 'shop.example', portValue: 80 } } } },
            ],
          },
        ],
      },
    },
  };
  const listed = endpoints('site', [{ zone: 'a', endpoints: ['10.0.0.1:80', '10.0.0.2:80 UNHEALTHY'] }]);
  const usableOf = (...more: MeshResource[]) => {
    const mesh = [edge(), routeConfig('routes', { '/': 'site' }), dns, ...more];
    const config = resolverOver(mesh, { start, profile: 'envoy' }).findCluster('site')?.config;
    if (config?.ok !== true || config.value.children.kind !== 'dns')
      throw new Error('expected a DNS cluster');
    const { resolved, use, resolutionNote } = config.value.children;
    return [resolved !== null, use.usable, use.endpoints, resolutionNote];
  };
  const unknown = [false, 0, 0, 'the client resolves the name: its addresses are not known'];
  expect(usableOf()).toEqual(unknown);
  // A resource of this name that was sent is not of the cluster, which requests none.
  expect(usableOf(listed)).toEqual(unknown);
  expect(usableOf({ ...listed, stage: 'active' })).toEqual([true, 1, 2, '']);
});

it('the health of static endpoints is that of the config dump, if it has them, with the weights of the cluster', () => {
  const address = (host: string) => ({ socketAddress: { address: host, portValue: 80 } });
  const fixed: MeshResource = {
    ...{ typeUrl: CDS.typeUrl, name: 'site', stage: 'active' },
    body: {
      ...{ name: 'site', type: 'STATIC', commonLbConfig: { healthyPanicThreshold: { value: 0 } } },
      loadAssignment: {
        clusterName: 'site',
        endpoints: [
          {
            loadBalancingWeight: 3,
            lbEndpoints: ['10.0.0.1', '10.0.0.2'].map((host) => ({ endpoint: { address: address(host) } })),
          },
        ],
      },
    },
  };
  const listed = (...hosts: string[]) => endpoints('site', [{ zone: '', endpoints: hosts }]);
  const clusterOf = (...more: MeshResource[]) => {
    const mesh = [edge(), routeConfig('routes', { '/': 'site' }), fixed, ...more];
    const config = resolverOver(mesh, { start, profile: 'envoy' }).findCluster('site')?.config;
    if (config?.ok !== true || config.value.children.kind !== 'endpoints')
      throw new Error('expected endpoints');
    const { use, resolutionNote, endpoints: all } = config.value.children;
    return [use.usable, all?.priorities[0]?.localities[0]?.weight, resolutionNote];
  };
  const failing = listed('10.0.0.1:80 UNHEALTHY', '10.0.0.2:80 UNHEALTHY');
  expect(clusterOf()).toEqual([2, 3, '']);
  expect(clusterOf(failing)).toEqual([2, 3, '']);
  const note = 'cluster "site" has no usable endpoint: 2 UNHEALTHY';
  expect(clusterOf({ ...failing, stage: 'active' })).toEqual([0, 3, note]);
  expect(clusterOf({ ...failing, isStatic: true })).toEqual([0, 3, note]);
  expect(clusterOf({ ...listed('10.0.0.2:80 UNHEALTHY'), stage: 'active' })).toEqual([1, 3, '']);
});

describe('a cluster of an Envoy', () => {
  const eds = (...hosts: string[]) => endpoints('cart', [{ zone: 'a', endpoints: hosts }]);
  const clusterOf = (settings: object, ...resources: MeshResource[]) => {
    const mesh = [edge(), routeConfig('routes', { '/': 'cart' }), { ...edsCluster('cart') }, ...resources];
    const changed = mesh.map((each) =>
      each.name === 'cart' && each.typeUrl === CDS.typeUrl
        ? { ...each, body: { ...each.body, ...settings } }
        : each,
    );
    const resolver = resolverOver(changed, { start, profile: 'envoy' });
    return buildResolved(resolver, 'envoy-1.40', resolvedQuery.parse({})).clusters.items[0];
  };

  it('whose circuit breaker allows no request fails', () => {
    const found = clusterOf({ circuitBreakers: { thresholds: [{ maxRequests: 0 }] } }, eds('10.0.0.1:80'));
    expect(found).toMatchObject({ status: 'error', error: expect.stringContaining('max_requests is 0') });
  });

  it('with too few healthy endpoints sends requests to all of them', () => {
    const hosts = eds('10.0.0.1:80', '10.0.0.2:80 UNHEALTHY', '10.0.0.3:80 UNHEALTHY');
    expect(clusterOf({}, hosts)).toMatchObject({
      status: 'ok',
      use: { usable: 1, panicThreshold: 50 },
      resolutionNote: expect.stringContaining('fewer than 50% of the endpoints'),
    });
    const never = { commonLbConfig: { healthyPanicThreshold: { value: 0 } } };
    expect(clusterOf(never, hosts)?.use).toEqual({ priorities: 1, localities: 1, endpoints: 3, usable: 1 });
  });

  it('that weighs localities does not use one without weight', () => {
    const hosts = endpoints('cart', [
      { zone: 'a', weight: 1, endpoints: ['10.0.0.1:80'] },
      { zone: 'b', weight: 0, endpoints: ['10.0.0.2:80'] },
    ]);
    expect(clusterOf({}, hosts)?.use.usable).toBe(2);
    const found = clusterOf({ commonLbConfig: { localityWeightedLbConfig: {} } }, hosts);
    expect(found?.use.usable).toBe(1);
    expect(found?.priorities[0]?.localities[1]).toMatchObject({
      use: 'ignored',
      reason: 'locality_weighted_lb_config: a locality without weight gets no requests',
    });
  });

  it('that prefers a zone is not known to serve requests without the bootstrap, which names the local cluster', () => {
    const hosts = endpoints('cart', [
      { zone: 'a', endpoints: ['10.0.0.1:80'] },
      { zone: 'b', endpoints: ['10.0.0.2:80'] },
    ]);
    const prefers = { commonLbConfig: { zoneAwareLbConfig: { minClusterSize: 2 } } };
    expect(clusterOf(prefers, hosts)).toMatchObject({
      ...{ status: 'unknown', notModelled: expect.stringContaining('zone_aware_lb_config') },
    });
    expect(clusterOf(prefers, eds('10.0.0.1:80'))).toMatchObject({ status: 'ok' });
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
    expect(reasonOf('EXTERNAL_ONLY')).toBe('');
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
