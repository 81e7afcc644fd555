import type { Request, Situation, Tools } from './situation';
import {
  aggregateOf,
  chain,
  checked,
  cluster,
  edsFromFile,
  endpoint,
  endpoints,
  fileSource,
  fixed,
  fixedIn,
  fromFile,
  fromSource,
  host,
  httpFilter,
  inline,
  listener,
  over,
  panic,
  response,
  route,
  silentSource,
  socket,
  tcpChain,
  toA,
} from './situation';

/** Situations that users describe in the issues of Envoy, Istio, Envoy Gateway, Contour, Cilium and Consul. */
export function situationsOfThreads(tools: Tools): Situation[] {
  return [
    ...situationsOfNames(tools),
    ...situationsOfListeners(tools),
    ...situationsOfChoices(tools),
    ...situationsOfTcp(tools),
  ];
}

const throughCopy: Request = { ...toA, listener: 'copy', port: 'other' };

/** A name leads to another resource than it seems to, or to none. */
function situationsOfNames(tools: Tools): Situation[] {
  const { port, file } = tools;
  const good = cluster('a', fixed('a', [port('good')]));
  const service = (name: string, ...versions: string[]): Situation => ({
    ...over(tools, name, {
      type: 'EDS',
      eds_cluster_config: { eds_config: fileSource(file('endpoints')), service_name: 'svc' },
    }),
    files: { endpoints: versions.map((each) => response('endpoints', endpoints(each, [port('good')]))) },
  });
  const byRds = (name: string, own: object, requests: readonly Request[]): Situation => ({
    ...over(tools, name, fixed('a', [port('good')])),
    listeners: [listener('web', port('web'), fromFile('routes', file('routes')))],
    files: { routes: [response('routes', { name: 'routes', virtual_hosts: [own] })] },
    requests,
  });
  const divided = {
    match: { prefix: '/' },
    route: {
      weighted_clusters: {
        clusters: [
          { name: 'a', weight: 50 },
          { name: 'gone', weight: 50 },
        ],
      },
    },
  };
  const moved = { match: { prefix: '/' }, redirect: { https_redirect: true } };
  return [
    service('endpoints under a service_name', 'svc'),
    {
      ...service('endpoints under the name of the cluster, which has a service_name', 'a'),
      isOfOther: true,
    },
    over(tools, 'an aggregate, one leaf of which does not exist', aggregateOf('gone', 'leaf'), [
      cluster('leaf', fixed('leaf', [port('good')])),
    ]),
    over(tools, 'an aggregate, no leaf of which exists', aggregateOf('gone')),
    byRds('weighted clusters, one of which does not exist', host(divided), [
      { ...toA, clusters: ['a', 'gone'] },
    ]),
    byRds('a virtual host that redirects alone', host(moved), [
      { listener: 'web', path: '/', intended: 301 },
    ]),
    byRds(
      'a domain without the port of the request',
      { ...host(route('/', 'a')), domains: ['shop.example'] },
      [
        { ...toA, headers: { host: 'shop.example' } },
        { listener: 'web', path: '/', headers: { host: 'shop.example:8080' } },
      ],
    ),
    {
      ...over(tools, 'external authorization by a cluster that does not exist', {}),
      listeners: [authorised(port('web'), {}), listener('copy', port('other'), inline(route('/', 'a')))],
      clusters: [good],
      requests: [{ listener: 'web', path: '/' }, throughCopy],
    },
    {
      ...over(tools, 'external authorization by a cluster that does not exist, left out for a route', {}),
      listeners: [
        {
          ...authorised(port('web'), {}),
          filter_chains: [
            chain('web', inline({ ...route('/open', 'a'), ...unauthorised }, route('/', 'a')), {}, [
              goneService({}),
            ]),
          ],
        },
      ],
      clusters: [good],
      requests: [
        { ...toA, path: '/open' },
        { listener: 'web', path: '/' },
      ],
    },
    {
      ...over(tools, 'an external processor by a cluster without a host', {}),
      listeners: [processed(port('web'), {})],
      clusters: [good, cluster('gone', fixed('gone', []))],
      requests: [{ listener: 'web', path: '/' }],
    },
    {
      ...over(tools, 'external authorization by a cluster that does not exist, failures allowed', {}),
      listeners: [authorised(port('web'), { failure_mode_allow: true })],
      clusters: [good],
    },
  ];
}

const unauthorised = {
  typed_per_filter_config: {
    'ext_authz.v3.ExtAuthz': {
      '@type': 'type.googleapis.com/envoy.config.route.v3.FilterConfig',
      disabled: true,
    },
  },
};

const goneService = (more: object): object =>
  httpFilter('ext_authz.v3.ExtAuthz', {
    http_service: { server_uri: { uri: 'http://gone', cluster: 'gone', timeout: '1s' } },
    ...more,
  });

function authorised(webPort: number, more: object): object {
  return filtered(webPort, goneService(more));
}

function processed(webPort: number, more: object): object {
  const service = { grpc_service: { envoy_grpc: { cluster_name: 'gone' } } };
  return filtered(webPort, httpFilter('ext_proc.v3.ExternalProcessor', { ...service, ...more }));
}

function filtered(webPort: number, filter: object): object {
  return {
    name: 'web',
    address: socket(webPort),
    filter_chains: [chain('web', inline(route('/', 'a')), {}, [filter])],
  };
}

/** A listener accepts no connection, or hands it to another. */
function situationsOfListeners(tools: Tools): Situation[] {
  const { port, file } = tools;
  const good = cluster('a', fixed('a', [port('good')]));
  const web = listener('web', port('web'), inline(route('/', 'a')));
  const byLds = (name: string, ...versions: object[][]): Situation => ({
    ...over(tools, name, fixed('a', [port('good')])),
    listeners: [],
    bootstrap: { dynamic_resources: { lds_config: fileSource(file('listeners')) } },
    files: { listeners: versions.map((each) => response('listeners', ...each)) },
  });
  const internal = {
    name: 'inner',
    internal_listener: {},
    filter_chains: [chain('inner', inline(route('/', 'b')))],
  };
  const toInner = { endpoint: { address: { envoy_internal_address: { server_listener_name: 'inner' } } } };
  const otherPort = { filter_chain_match: { destination_port: 1 } };
  return [
    byLds('a listener that the source no longer has', [web], []),
    {
      ...byLds(
        'a listener that is removed while it warms',
        [listener('web', port('web'), fromSource('routes', silentSource('silent', '0s')))],
        [],
      ),
      clusters: [good, cluster('silent', fixed('silent', [port('closed')]))],
    },
    {
      ...over(tools, 'a listener that does not bind its port', fixed('a', [port('good')])),
      listeners: [{ ...web, bind_to_port: false }, listener('copy', port('other'), inline(route('/', 'b')))],
      clusters: [good, cluster('b', fixed('b', [port('fine')]))],
      requests: [toA, { ...throughCopy, clusters: ['b'] }],
    },
    {
      ...over(tools, 'a filter chain for a port that the listener does not have', fixed('a', [port('good')])),
      listeners: [{ ...web, filter_chains: [chain('special', inline(route('/', 'a')), otherPort)] }],
    },
    {
      ...over(tools, 'a default filter chain', fixed('a', [port('good')])),
      listeners: [
        {
          name: 'web',
          address: socket(port('web')),
          filter_chains: [chain('special', inline(route('/', 'gone')), otherPort)],
          default_filter_chain: chain('usual', inline(route('/', 'a'))),
        },
      ],
      clusters: [good, cluster('gone', fixed('gone', []))],
      requests: [{ ...toA, chain: 'usual' }],
    },
    {
      ...over(tools, 'an internal listener', {
        type: 'STATIC',
        load_assignment: { cluster_name: 'a', endpoints: [{ lb_endpoints: [toInner] }] },
      }),
      bootstrap: {
        bootstrap_extensions: [
          {
            name: 'internal',
            typed_config: {
              '@type': 'type.googleapis.com/envoy.extensions.bootstrap.internal_listener.v3.InternalListener',
            },
          },
        ],
      },
      listeners: [web, internal],
      clusters: [
        cluster('a', {
          type: 'STATIC',
          load_assignment: { cluster_name: 'a', endpoints: [{ lb_endpoints: [toInner] }] },
        }),
        cluster('b', fixed('b', [port('good')])),
      ],
    },
  ];
}

/** What a cluster chooses among its hosts. */
function situationsOfChoices(tools: Tools): Situation[] {
  const { port, file } = tools;
  const limited = (limits: object) => ({
    ...fixed('a', [port('good')]),
    circuit_breakers: { thresholds: [limits] },
  });
  const drop = { policy: { drop_overloads: [{ category: 'all', drop_percentage: { numerator: 100 } }] } };
  const inLocality = (name: string, of: string, more: object) => ({
    locality: { zone: name },
    lb_endpoints: [endpoint(port(of))],
    ...more,
  });
  const unchecked = {
    endpoint: { address: socket(port('sick')), health_check_config: { disable_active_health_check: true } },
  };
  return [
    over(tools, 'no pending request is allowed', limited({ max_pending_requests: 0 })),
    over(tools, 'no connection is allowed', limited({ max_connections: 0 })),
    {
      ...over(tools, 'endpoints whose policy drops every request', edsFromFile(file('endpoints'))),
      files: { endpoints: [response('endpoints', { ...endpoints('a', [port('good')]), ...drop })] },
    },
    over(tools, 'a priority between two that has no endpoint', {
      ...fixed('a', [], [], [port('good')]),
    }),
    over(tools, 'a locality without a weight beside one with all of it', {
      ...fixedIn('a', inLocality('x', 'good', { load_balancing_weight: 1 }), inLocality('y', 'closed', {})),
      common_lb_config: { locality_weighted_lb_config: {} },
    }),
    over(tools, 'a host that is left out of the health checks', {
      ...{ type: 'STATIC', ...checked, ...panic(0) },
      load_assignment: { cluster_name: 'a', endpoints: [{ lb_endpoints: [unchecked] }] },
    }),
    over(tools, 'an original destination without one', {
      type: 'ORIGINAL_DST',
      lb_policy: 'CLUSTER_PROVIDED',
    }),
    over(tools, 'two DNS names, one of which does not resolve', {
      ...{ type: 'STRICT_DNS', dns_lookup_family: 'V4_ONLY' },
      load_assignment: {
        cluster_name: 'a',
        endpoints: [{ lb_endpoints: [endpoint(port('good')), named('no-such-name.invalid', port('good'))] }],
      },
    }),
  ];
}

const named = (address: string, port: number) => ({ endpoint: { address: socket(port, address) } });

/** What becomes of the connections of a TCP proxy. */
function situationsOfTcp(tools: Tools): Situation[] {
  const { port } = tools;
  const proxied = (name: string, more: object): Situation => ({
    ...over(tools, name, more),
    listeners: [{ name: 'web', address: socket(port('web')), filter_chains: [tcpChain('web', 'a')] }],
  });
  return [
    proxied('a TCP proxy whose host accepts no connection', fixed('a', [port('closed')])),
    proxied('a TCP proxy without a host', fixed('a', [])),
    proxied('a TCP proxy at its limit of connections', {
      ...fixed('a', [port('good')]),
      circuit_breakers: { thresholds: [{ max_connections: 0 }] },
    }),
    proxied('a TCP proxy whose hosts answer', fixed('a', [port('good'), port('fine')])),
  ];
}
