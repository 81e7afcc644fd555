import { describe, expect, it } from 'vitest';
import { bodyInEffect } from '@/lib/facts/effect';
import { hostHealthTypeUrl } from '@/lib/model/host-health';
import { defaultStart, findStarts, startsOfEnvoy } from '@/lib/resolve/find-starts';
import { buildReferenceReport } from '@/lib/resolve/reference-report';
import { errorOfCluster, statusOfCluster } from '@/lib/resolve/xds-config';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { buildResolved } from '@/lib/views/resolved/build-resolved';
import { resolvedQuery } from '@/lib/views/resolved/query';
import { CDS, RDS, SDS } from '@/lib/xds/resource-type';
import { cart, edge, extension, start } from '@/tests/support/builders/envoy-edge';
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

describe('a listener that does not bind its port', () => {
  const rest = [routeConfig('routes', { '/': 'cart' }), ...cart];
  const changed = (own: object, name = 'edge'): MeshResource => {
    const resource = edge();
    return { ...resource, name, body: { ...resource.body, name, ...own } };
  };
  const open = (...listeners: MeshResource[]) =>
    resolverOver([...listeners, ...rest], { start, profile: 'envoy' });

  it('is not known to serve, unless a listener hands over its connections', () => {
    for (const own of [{ bindToPort: false }, { deprecatedV1: { bindToPort: false } }]) {
      const resolver = open(changed(own));
      expect([resolver.status, resolver.listener.doubts]).toEqual([
        'unknown',
        [expect.stringMatching(/^Listener "edge" does not listen \(bind_to_port is false\)/)],
      ]);
      const inbound = changed({ useOriginalDst: true }, 'inbound');
      expect(open(changed(own), inbound).status).toBe('resolved');
      resolver.apply({ changed: resolveResources([...rest, inbound]).slice(-1), removed: [] });
      expect(resolver.status).toBe('resolved');
    }
    expect(open(changed({ bindToPort: true })).status).toBe('resolved');
  });
});

it('an ext_authz filter lets its service decide which requests are denied', () => {
  const filter = (more: object = {}) => ({
    name: 'authz',
    typedConfig: { '@type': `${extension}http.ext_authz.v3.ExtAuthz`, ...more },
  });
  const { listener } = resolverOver([edge([filter()]), routeConfig('routes', { '/': 'cart' }), ...cart], {
    start,
    profile: 'envoy',
  });
  expect(listener.chains[0]?.httpFilters[0]).toMatchObject({
    denied: 'denies requests that its external service does not allow',
  });
});

it('EDS that drops every request lets the cluster of an Envoy fail', () => {
  const dropOverloads = [{ category: 'all', dropPercentage: { numerator: 100, denominator: 'HUNDRED' } }];
  const all = cart.map((each) => ({ ...each, body: { ...each.body, policy: { dropOverloads } } }));
  const resolver = resolverOver([edge(), routeConfig('routes', { '/': 'cart' }), ...all], {
    start,
    profile: 'envoy',
  });
  const entry = resolver.findCluster('cart');
  expect(entry && [statusOfCluster(entry), errorOfCluster(entry)]).toEqual([
    'error',
    'EDS drops every request (drop_overloads, category "all")',
  ]);
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
  const hosts = (name: string): MeshResource => ({
    ...{ typeUrl: hostHealthTypeUrl, name },
    body: { name, hostStatuses: [] },
  });
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

  it('is not known to be missing: a cluster of a dump with others, unless /clusters lists none of its name', () => {
    const rest = [
      { ...edge(), ...active },
      { ...routeConfig('routes', { '/': 'users' }), ...active },
      ...cart.map((each) => ({ ...each, ...active })),
    ];
    const left =
      'it is not in the config dump: Envoy does not have it, or name_regex or resource left it out, which all of /clusters would show';
    expect(states(rest)).toEqual([
      ...['unknown', [`in-doubt: ${left}`], ['users: UNKNOWN, not reported'], [`users: ${left}`]],
    ]);
    const listed =
      'it is not in the config dump, and /clusters lists it: the dump was read in part, as with name_regex or resource';
    expect(states([...rest, hosts('users')]).slice(1)).toEqual([
      ...[[`in-doubt: ${listed}`], ['users: UNKNOWN, not reported'], [`users: ${listed}`]],
    ]);
    // "filter" leaves out clusters of /clusters: it lacks one that the dump has.
    const other: MeshResource = { ...edsCluster('other'), ...active };
    expect(states([...rest, other, hosts('cart')])[1]).toEqual([`in-doubt: ${left}`]);
    expect(states([...rest, { ...other, stage: 'warming' }, hosts('cart')])[1]).toEqual([]);
    expect(states([...rest, hosts('cart')]).slice(1)).toEqual([
      ...[[], ['users: MISSING, not held'], ['users: the client does not hold it']],
    ]);
  });

  it('is not known to be missing: endpoints of which a control plane states none', () => {
    const text = 'the control plane states no endpoints here, as istiod in /debug/config_dump';
    const sent = [edge(), routeConfig('routes', { '/': 'cart' }), edsCluster('cart')].map((each) => ({
      ...each,
      side: 'control-plane' as const,
    }));
    expect(states(sent).slice(0, 2)).toEqual(['unknown', [`in-doubt: ${text}`]]);
    // Other types are complete.
    const other: MeshResource = { ...edsCluster('other'), side: 'control-plane' };
    expect(states([...sent.slice(0, 2), other]).slice(0, 2)).toEqual(['resolved', []]);
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
    expect([status, text]).toEqual(['error', expect.stringMatching(/no connection is accepted.*"cert"/)]);
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
