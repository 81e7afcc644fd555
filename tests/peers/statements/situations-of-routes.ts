import { TestAuthority } from '../../support/test-certificates';
import type { Situation, Tools } from './situation';
import {
  chain,
  cluster,
  fixed,
  host,
  httpFilter,
  inline,
  listener,
  over,
  route,
  socket,
  tcpChain,
  tlsInspector,
  tlsWith,
  toA,
} from './situation';

/** Situations in which listeners, routes and HTTP filters decide the outcome. */
export function situationsOfRoutes(tools: Tools): Situation[] {
  const { port } = tools;
  const good = cluster('a', fixed('a', [port('good')]));
  const dead = cluster('b', fixed('b', [port('closed')]));
  const through = (name: string, ...routes: object[]) => ({
    name,
    listeners: [listener('web', port('web'), inline(...routes))],
    clusters: [good, dead],
  });
  const weights = (a: number, b: number) => ({
    match: { prefix: '/' },
    route: {
      weighted_clusters: {
        clusters: [
          { name: 'a', weight: a },
          { name: 'b', weight: b },
        ],
      },
    },
  });
  const withFilter = (name: string, filter: object): Situation => ({
    ...over(tools, name, fixed('a', [port('good')])),
    listeners: [
      {
        name: 'web',
        address: socket(port('web')),
        filter_chains: [chain('web', inline(route('/', 'a')), {}, [filter])],
      },
    ],
    requests: [{ listener: 'web', path: '/' }],
  });
  const retries = { retry_policy: { retry_on: 'connect-failure', num_retries: 5 } };
  const withHosts = (...hosts: object[]) => ({ route_config: { name: 'inline', virtual_hosts: hosts } });
  return [
    {
      ...through(
        'answers of Envoy itself',
        { match: { prefix: '/ok' }, direct_response: { status: 200 } },
        { match: { prefix: '/down' }, direct_response: { status: 503 } },
        { match: { prefix: '/old' }, redirect: { path_redirect: '/new' } },
        route('/', 'a'),
      ),
      requests: [
        { listener: 'web', path: '/ok' },
        { listener: 'web', path: '/down' },
        { listener: 'web', path: '/old', intended: 301 },
        toA,
      ],
    },
    {
      ...over(tools, 'a direct response beside a cluster without hosts', fixed('a', [])),
      listeners: [
        listener(
          'web',
          port('web'),
          inline({ match: { prefix: '/ok' }, direct_response: { status: 200 } }, route('/', 'a')),
        ),
      ],
      requests: [toA, { listener: 'web', path: '/ok' }],
    },
    {
      ...through('weighted clusters, one of which accepts no connection', weights(50, 50)),
      requests: [{ ...toA, clusters: ['a', 'b'] }],
    },
    {
      ...through('a weighted cluster of weight 0 that accepts no connection', weights(100, 0)),
      requests: [toA],
    },
    {
      ...through(
        'a route that no request reaches',
        route('/shop', 'a'),
        route('/shop/cart', 'b'),
        route('/', 'a'),
      ),
      requests: [toA, { listener: 'web', path: '/shop/cart', clusters: ['a'] }],
    },
    {
      ...through('no route for the path', route('/shop', 'a')),
      requests: [
        { ...toA, path: '/shop' },
        { listener: 'web', path: '/' },
      ],
    },
    {
      name: 'virtual hosts by domain',
      listeners: [
        listener(
          'web',
          port('web'),
          withHosts(
            { ...host(route('/', 'a')), name: 'exact', domains: ['shop.example'] },
            { ...host(route('/', 'b')), name: 'suffix', domains: ['*.shop.example'] },
          ),
        ),
      ],
      clusters: [good, dead],
      requests: [
        { ...toA, headers: { host: 'shop.example' } },
        { listener: 'web', path: '/', clusters: ['b'], headers: { host: 'eu.shop.example' } },
        { listener: 'web', path: '/', headers: { host: 'other.example' } },
      ],
    },
    {
      name: 'a virtual host that requires TLS',
      listeners: [listener('web', port('web'), withHosts({ ...host(route('/', 'a')), require_tls: 'ALL' }))],
      clusters: [good],
      requests: [{ listener: 'web', path: '/' }],
    },
    {
      ...through('a cluster that a header names', {
        match: { prefix: '/' },
        route: { cluster_header: 'x-cluster' },
      }),
      requests: [{ ...toA, headers: { 'x-cluster': 'a' } }],
    },
    {
      ...over(tools, 'retries of failed connections', fixed('a', [port('good'), port('closed')]), [dead]),
      listeners: [listener('web', port('web'), inline(route('/b', 'b', retries), route('/', 'a', retries)))],
      requests: [toA, { listener: 'web', path: '/b', clusters: ['b'] }],
    },
    withFilter(
      'a fault filter that aborts every request',
      httpFilter('fault.v3.HTTPFault', {
        abort: { http_status: 503, percentage: { numerator: 100, denominator: 'HUNDRED' } },
      }),
    ),
    withFilter(
      'an RBAC filter that denies every request',
      httpFilter('rbac.v3.RBAC', { rules: { action: 'ALLOW', policies: {} } }),
    ),
    {
      name: 'filter chains by server name',
      listeners: [
        {
          name: 'web',
          address: socket(port('web')),
          listener_filters: [tlsInspector],
          filter_chains: ['a', 'b'].map((name) => {
            const server = `${name}.example`;
            const certificate = tlsWith(new TestAuthority().issue({ dns: server }));
            const match = { filter_chain_match: { server_names: [server] } };
            return chain(`chain ${name}`, inline(route('/', name)), { ...certificate, ...match });
          }),
        },
      ],
      clusters: [good, dead],
      requests: ['a', 'b'].map((name) => ({
        ...{ listener: 'web', path: '/', clusters: [name], chain: `chain ${name}` },
        ...{ isTls: true, serverName: `${name}.example` },
      })),
    },
    {
      name: 'filter chains by destination port, TCP',
      listeners: [
        {
          name: 'web',
          address: socket(port('web')),
          additional_addresses: [{ address: socket(port('other')) }],
          filter_chain_matcher: byPort({ [port('web')]: 'live', [port('other')]: 'dead' }),
          filter_chains: [tcpChain('live', 'a'), tcpChain('dead', 'b'), tcpChain('unused', 'b')],
        },
      ],
      clusters: [good, dead],
      requests: [
        { ...toA, chain: 'live' },
        { listener: 'web', port: 'other', path: '/', clusters: ['b'], chain: 'dead' },
      ],
    },
  ];
}

function byPort(names: Readonly<Record<string, string>>): object {
  const chosen = Object.entries(names).map(([port, value]) => {
    const typed_config = { '@type': 'type.googleapis.com/google.protobuf.StringValue', value };
    return [port, { action: { name: value, typed_config } }];
  });
  const input = 'type.googleapis.com/envoy.extensions.matching.common_inputs.network.v3.DestinationPortInput';
  return {
    matcher_tree: {
      input: { name: 'port', typed_config: { '@type': input } },
      exact_match_map: { map: Object.fromEntries(chosen) },
    },
  };
}
