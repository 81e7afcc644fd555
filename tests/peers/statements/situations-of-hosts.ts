import type { Situation, Tools } from './situation';
import {
  aggregateOf,
  checked,
  cluster,
  edsFrom,
  edsFromFile,
  ejecting,
  endpoint,
  endpoints,
  fixed,
  fixedIn,
  inline,
  listener,
  over,
  panic,
  response,
  route,
  silentSource,
  socket,
  tcpChain,
  tlsUpstream,
  toA,
} from './situation';

/** Situations of which the state of the hosts, and how Envoy chooses one, decide the outcome. */
export function situationsOfHosts(tools: Tools): Situation[] {
  return [
    ...withoutDetection(tools),
    ...withHealthChecks(tools),
    ...withEjections(tools),
    ...withPriorities(tools),
    ...withEds(tools),
    ...withChoices(tools),
    ...withSubsets(tools),
  ];
}

function withoutDetection(tools: Tools): Situation[] {
  const { port } = tools;
  const named = (name: string) => ({ endpoint: { address: socket(port('good'), name) } });
  const byDns = (name: string) => ({
    ...{ type: 'STRICT_DNS', dns_lookup_family: 'V4_ONLY' },
    load_assignment: { cluster_name: 'a', endpoints: [{ lb_endpoints: [named(name)] }] },
  });
  return [
    over(tools, 'a healthy host', fixed('a', [port('good')])),
    over(tools, 'a host that accepts no connection', fixed('a', [port('closed')])),
    over(tools, 'one of two hosts accepts no connection', fixed('a', [port('good'), port('closed')])),
    over(tools, 'a host that answers with 500', fixed('a', [port('bad')])),
    over(tools, 'one of two hosts answers with 500', fixed('a', [port('good'), port('bad')])),
    over(tools, 'a host that does not speak TLS', { ...fixed('a', [port('good')]), ...tlsUpstream }),
    over(tools, 'no host', fixed('a', [])),
    over(tools, 'a DNS name that resolves', byDns('localhost')),
    over(tools, 'a DNS name that does not resolve', byDns('no-such-name.invalid')),
    {
      name: 'one of two clusters accepts no connection',
      listeners: [listener('web', port('web'), inline(route('/b', 'b'), route('/', 'a')))],
      clusters: [cluster('a', fixed('a', [port('good')])), cluster('b', fixed('b', [port('closed')]))],
      requests: [toA, { listener: 'web', path: '/b', clusters: ['b'] }],
    },
  ];
}

function withHealthChecks(tools: Tools): Situation[] {
  const { port } = tools;
  const checkedHosts = (...names: string[]) => ({ ...fixed('a', names.map(port)), ...checked });
  return [
    over(tools, 'a host that passes its health check', checkedHosts('good')),
    over(tools, 'every host fails its health check, no panic', { ...checkedHosts('sick'), ...panic(0) }),
    over(tools, 'every host fails its health check, panic', checkedHosts('sick')),
    over(tools, 'one of three hosts passes its health check, panic', checkedHosts('good', 'closed', 'shut')),
    over(tools, 'one of three hosts passes its health check, no panic', {
      ...checkedHosts('good', 'closed', 'shut'),
      ...panic(0),
    }),
    {
      ...over(tools, 'a host that passes its health check again', {
        ...checkedHosts('turning'),
        ...panic(0),
      }),
      turning: [500, 200],
    },
    {
      ...over(tools, 'a host that no longer passes its health check', {
        ...checkedHosts('turning'),
        ...panic(0),
      }),
      turning: [200, 500],
    },
    {
      name: 'one of two clusters has no usable host',
      listeners: [listener('web', port('web'), inline(route('/b', 'b'), route('/', 'a')))],
      clusters: [
        cluster('a', fixed('a', [port('good')])),
        cluster('b', { ...fixed('b', [port('sick')]), ...checked, ...panic(0) }),
      ],
      requests: [toA, { listener: 'web', path: '/b', clusters: ['b'] }],
    },
  ];
}

function withEjections(tools: Tools): Situation[] {
  const { port } = tools;
  return [
    over(tools, 'the only host is ejected, no panic', {
      ...fixed('a', [port('bad')]),
      ...ejecting(300),
      ...panic(0),
    }),
    over(tools, 'one of two hosts is ejected', {
      ...fixed('a', [port('good'), port('bad')]),
      ...ejecting(300),
    }),
    {
      ...over(tools, 'the ejection of a host has ended', {
        ...fixed('a', [port('turning')]),
        ...ejecting(1),
      }),
      turning: [500, 200],
    },
  ];
}

function withPriorities(tools: Tools): Situation[] {
  const { port } = tools;
  const byPriority = (...names: string[]) => ({
    ...fixed('a', ...names.map((name) => [port(name)])),
    ...checked,
  });
  const leaf = (name: string, host: string) =>
    cluster(name, { ...fixed(name, [port(host)]), ...checked, ...panic(0) });
  return [
    over(tools, 'the first priority fails its health check', { ...byPriority('sick', 'good'), ...panic(0) }),
    over(tools, 'the first priority is degraded', { ...byPriority('degraded', 'good'), ...panic(0) }),
    over(tools, 'degraded hosts alone', { ...byPriority('sick', 'degraded'), ...panic(0) }),
    over(tools, 'every priority fails its health check, panic', byPriority('closed', 'shut')),
    over(tools, 'an aggregate whose only leaf accepts no connection', aggregateOf('leaf'), [
      cluster('leaf', fixed('leaf', [port('closed')])),
    ]),
    over(tools, 'an aggregate whose first leaf fails its health check', aggregateOf('first', 'second'), [
      leaf('first', 'sick'),
      leaf('second', 'good'),
    ]),
  ];
}

function withEds(tools: Tools): Situation[] {
  const { port, file } = tools;
  const byEds = (name: string, more: object, ...versions: object[]): Situation => ({
    ...over(tools, name, { ...edsFromFile(file('endpoints')), ...more }),
    files: { endpoints: versions.map((each) => response('endpoints', each)) },
  });
  const withHealth = (...hosts: (readonly [name: string, health: string])[]) => ({
    cluster_name: 'a',
    endpoints: [
      { lb_endpoints: hosts.map(([name, health]) => endpoint(port(name), { health_status: health })) },
    ],
  });
  const named = { endpoint: { address: socket(port('good'), 'localhost') } };
  const rejected = { cluster_name: 'a', endpoints: [{ lb_endpoints: [named] }] };
  const accepted = endpoints('a', [port('good')]);
  return [
    byEds('accepted endpoints', {}, accepted),
    byEds('endpoints that were rejected from the start', {}, rejected),
    byEds('endpoints that were rejected after accepted ones', {}, accepted, rejected),
    byEds('accepted endpoints without a host', {}, { cluster_name: 'a' }),
    byEds('endpoints that were removed later', {}, accepted, { cluster_name: 'a' }),
    byEds('every endpoint is UNHEALTHY in EDS, no panic', panic(0), withHealth(['good', 'UNHEALTHY'])),
    byEds('an endpoint is UNHEALTHY in EDS', {}, withHealth(['good', 'HEALTHY'], ['closed', 'UNHEALTHY'])),
    byEds('an endpoint is DRAINING in EDS', {}, withHealth(['good', 'HEALTHY'], ['closed', 'DRAINING'])),
    {
      ...over(tools, 'endpoints that never arrive', edsFrom(silentSource('silent', '1s'))),
      clusters: [
        cluster('a', edsFrom(silentSource('silent', '1s'))),
        cluster('silent', fixed('silent', [port('closed')])),
      ],
    },
  ];
}

function withChoices(tools: Tools): Situation[] {
  const { port } = tools;
  const zone = (name: string, hosts: readonly string[], more: object = {}) => ({
    locality: { region: 'here', zone: name },
    lb_endpoints: hosts.map((each) => endpoint(port(each))),
    ...more,
  });
  const weighted = { common_lb_config: { locality_weighted_lb_config: {} } };
  const limit = { priority: 'DEFAULT', max_connections: 0, max_pending_requests: 0, max_requests: 0 };
  return [
    over(tools, 'localities by weight', {
      ...fixedIn(
        'a',
        zone('a', ['good'], { load_balancing_weight: 1 }),
        zone('b', ['fine'], { load_balancing_weight: 3 }),
      ),
      ...weighted,
    }),
    over(tools, 'the locality with all the weight accepts no connection', {
      ...fixedIn('a', zone('a', ['closed'], { load_balancing_weight: 1 }), zone('b', ['good'])),
      ...weighted,
    }),
    {
      ...over(
        tools,
        'zone aware routing, and the own zone accepts no connection',
        {
          ...fixedIn('a', zone('here', ['closed']), zone('there', ['good'])),
          common_lb_config: { zone_aware_lb_config: { min_cluster_size: 1 } },
        },
        [cluster('local', fixedIn('local', zone('here', ['fine']), zone('there', ['fine'])))],
      ),
      bootstrap: {
        node: { locality: { region: 'here', zone: 'here' } },
        cluster_manager: { local_cluster_name: 'local' },
      },
    },
    over(tools, 'a circuit breaker that allows no request', {
      ...fixed('a', [port('good')]),
      circuit_breakers: { thresholds: [limit] },
    }),
    over(tools, 'subsets, none of which is selected', {
      ...fixed('a', [port('good')]),
      lb_subset_config: { fallback_policy: 'NO_FALLBACK', subset_selectors: [{ keys: ['version'] }] },
    }),
  ];
}

function withSubsets(tools: Tools): Situation[] {
  const { port } = tools;
  const wants = (version: string) => ({
    metadata_match: { filter_metadata: { 'envoy.lb': { version } } },
  });
  const of = (name: string, version: string) =>
    endpoint(port(name), { metadata: { filter_metadata: { 'envoy.lb': { version } } } });
  const hosts = (fallback: string, ...all: object[]) =>
    cluster('a', {
      ...fixedIn('a', { lb_endpoints: all }),
      lb_subset_config: { fallback_policy: fallback, subset_selectors: [{ keys: ['version'] }] },
    });
  const by = (path: string, metadata: string) => ({ listener: 'web', path, clusters: ['a'], metadata });
  const over = (name: string, routes: object[], a: object, requests: Situation['requests']): Situation => ({
    ...{ name, requests, clusters: [a] },
    listeners: [listener('web', port('web'), inline(...routes))],
  });
  const [toOne, toTwo] = [by('/one', 'with version=1'), by('/two', 'with version=2')];
  const [one, two, nine] = [
    route('/one', 'a', wants('1')),
    route('/two', 'a', wants('2')),
    route('/nine', 'a', wants('9')),
  ];
  const ofTcp = (name: string, version: string): Situation => ({
    ...{ name, clusters: [hosts('NO_FALLBACK', of('good', '1'), of('closed', '2'))] },
    listeners: [
      {
        ...{ name: 'web', address: socket(port('web')) },
        filter_chains: [tcpChain('web', 'a', wants(version))],
      },
    ],
    requests: [by('/', `with version=${version}`)],
  });
  return [
    ofTcp('subsets, and a TCP proxy wants one of two', '1'),
    ofTcp('subsets, and a TCP proxy wants one that does not exist', '9'),
    over(
      'subsets, and all routes want the same',
      [one],
      hosts('NO_FALLBACK', of('good', '1'), of('closed', '2')),
      [toOne],
    ),
    over(
      'subsets, and the only one that routes want accepts no connection',
      [two],
      hosts('NO_FALLBACK', of('good', '1'), of('closed', '2')),
      [toTwo],
    ),
    over(
      'subsets, and each route wants another',
      [one, two, nine, route('/', 'a')],
      hosts('NO_FALLBACK', of('good', '1'), of('fine', '2')),
      [toOne, toTwo, by('/nine', 'with version=9'), by('/', 'without metadata_match')],
    ),
    over(
      'subsets, and one of two has no host',
      [one, nine],
      hosts('ANY_ENDPOINT', of('good', '1'), of('fine', '2')),
      [toOne, by('/nine', 'with version=9')],
    ),
    over(
      'subsets, and no route wants one that exists',
      [nine, route('/', 'a')],
      hosts('NO_FALLBACK', of('good', '1'), of('fine', '2')),
      [by('/nine', 'with version=9'), by('/', 'without metadata_match')],
    ),
  ];
}
