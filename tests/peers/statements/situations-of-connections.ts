import { TestAuthority } from '../../support/test-certificates';
import type { Request, Situation, Tools } from './situation';
import {
  chain,
  cluster,
  fixed,
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

/** What users report of listeners that are active, and of which connections or all requests fail, or succeed unexpectedly. */
export function situationsOfConnections(tools: Tools): Situation[] {
  return [
    ...withListenerFilters(tools),
    ...withTls(tools),
    ...withNetworkFilters(tools),
    ...withAddresses(tools),
    ...withServerState(tools),
  ];
}

/** It ends before a route is chosen. */
const unrouted: Request = { listener: 'web', path: '/' };

const extension = 'type.googleapis.com/envoy.extensions.';
const listenerFilter = (type: string, more: object = {}) => ({
  name: type,
  typed_config: { '@type': `${extension}filters.listener.${type}`, ...more },
});
const networkFilter = (type: string, more: object) => ({
  name: type,
  typed_config: { '@type': `${extension}filters.network.${type}`, stat_prefix: 'network', ...more },
});

function situation(tools: Tools, name: string, web: object, requests: readonly Request[] = [toA]): Situation {
  const { port } = tools;
  return {
    ...over(tools, name, fixed('a', [port('good')])),
    listeners: [{ name: 'web', address: socket(port('web')), ...web }],
    requests,
  };
}

const usual = (more: object = {}, filters: object[] = []) => {
  const { filters: own, ...rest } = chain('web', inline(route('/', 'a')), more) as { filters: object[] };
  return { ...rest, filters: [...filters, ...own] };
};

/** What reads the first bytes of a connection. */
function withListenerFilters(tools: Tools): Situation[] {
  const proxyProtocol = (more: object) => ({
    listener_filters: [listenerFilter('proxy_protocol.v3.ProxyProtocol', more)],
    filter_chains: [usual()],
  });
  const byProtocol = (protocol: string) => ({
    listener_filters: [tlsInspector, listenerFilter('http_inspector.v3.HttpInspector')],
    filter_chains: [usual({ filter_chain_match: { application_protocols: [protocol] } })],
  });
  return [
    situation(tools, 'the PROXY protocol is expected, and callers do not speak it', proxyProtocol({}), [
      unrouted,
    ]),
    situation(
      tools,
      'the PROXY protocol is expected, and callers may leave it out',
      proxyProtocol({ allow_requests_without_proxy_protocol: true }),
    ),
    situation(tools, 'a filter chain for HTTP/2, and callers speak HTTP/1.1', byProtocol('h2c'), [unrouted]),
    situation(tools, 'a filter chain for HTTP/1.1, which is inspected', byProtocol('http/1.1')),
    situation(
      tools,
      'a filter chain for HTTP/1.1 without an inspector',
      {
        filter_chains: [usual({ filter_chain_match: { application_protocols: ['http/1.1'] } })],
      },
      [unrouted],
    ),
    situation(
      tools,
      'a filter chain for TLS, and callers do not use it',
      {
        listener_filters: [tlsInspector],
        filter_chains: [usual({ filter_chain_match: { transport_protocol: 'tls' } })],
      },
      [unrouted],
    ),
    situation(tools, 'an original destination that no rule of the machine changes', {
      use_original_dst: true,
      listener_filters: [listenerFilter('original_dst.v3.OriginalDst')],
      filter_chains: [usual()],
    }),
    situation(
      tools,
      'a filter chain for callers of another network',
      {
        filter_chains: [
          usual({
            filter_chain_match: { source_prefix_ranges: [{ address_prefix: '10.0.0.0', prefix_len: 8 }] },
          }),
        ],
      },
      [unrouted],
    ),
    situation(tools, 'a filter chain for callers of the own machine', {
      filter_chains: [usual({ filter_chain_match: { source_type: 'SAME_IP_OR_LOOPBACK' } })],
    }),
  ];
}

function withTls(tools: Tools): Situation[] {
  const authority = new TestAuthority();
  const own = authority.issue({ dns: 'a.example' });
  const tls = (more: object, context: object = {}) => {
    const { transport_socket } = tlsWith(own);
    const { common_tls_context, ...rest } = transport_socket.typed_config;
    const typed_config = { ...rest, common_tls_context: { ...common_tls_context, ...context }, ...more };
    return { transport_socket: { ...transport_socket, typed_config } };
  };
  const overTls: Request = { ...toA, isTls: true };
  const unroutedTls: Request = { ...unrouted, isTls: true };
  const trusted = { validation_context: { trusted_ca: { inline_string: authority.certificate } } };
  return [
    situation(
      tools,
      'callers must have a certificate, and have none',
      { filter_chains: [usual(tls({ require_client_certificate: true }, trusted))] },
      [unroutedTls],
    ),
    situation(
      tools,
      'callers may have a certificate, and have none',
      { filter_chains: [usual(tls({}, trusted))] },
      [overTls],
    ),
    situation(tools, 'TLS is expected, and callers do not use it', { filter_chains: [usual(tls({}))] }, [
      unrouted,
    ]),
    situation(
      tools,
      'a server name that no filter chain has',
      {
        listener_filters: [tlsInspector],
        filter_chains: [usual({ ...tls({}), filter_chain_match: { server_names: ['a.example'] } })],
      },
      [
        { ...overTls, serverName: 'a.example' },
        { ...unroutedTls, serverName: 'b.example' },
      ],
    ),
    situation(
      tools,
      'a server name that a wildcard of a filter chain matches',
      {
        listener_filters: [tlsInspector],
        filter_chains: [usual({ ...tls({}), filter_chain_match: { server_names: ['*.example'] } })],
      },
      [{ ...overTls, serverName: 'shop.eu.example' }],
    ),
  ];
}

/** Filters that close connections before they are served. */
function withNetworkFilters(tools: Tools): Situation[] {
  const { port } = tools;
  const rules = (action: string, port: number) => ({
    rules: {
      action,
      policies: { one: { permissions: [{ destination_port: port }], principals: [{ any: true }] } },
    },
  });
  const tcp = (name: string, ...filters: object[]) => {
    const { filters: own, ...rest } = tcpChain('web', 'a') as { filters: object[] };
    return situation(tools, name, { filter_chains: [{ ...rest, filters: [...filters, ...own] }] }, [
      unrouted,
    ]);
  };
  const sni = {
    listener_filters: [tlsInspector],
    filter_chains: [
      {
        filters: [
          { name: 'sni', typed_config: { '@type': `${extension}filters.network.sni_cluster.v3.SniCluster` } },
          ...(tcpChain('web', 'gone') as { filters: object[] }).filters,
        ],
      },
    ],
  };
  return [
    situation(
      tools,
      'a network RBAC filter denies every connection',
      {
        filter_chains: [usual({}, [networkFilter('rbac.v3.RBAC', { rules: { action: 'ALLOW' } })])],
      },
      [unrouted],
    ),
    situation(tools, 'a network RBAC filter allows the port', {
      filter_chains: [usual({}, [networkFilter('rbac.v3.RBAC', rules('ALLOW', port('web')))])],
    }),
    tcp(
      'a network RBAC filter denies the port of a TCP proxy',
      networkFilter('rbac.v3.RBAC', rules('DENY', port('web'))),
    ),
    situation(tools, 'a limit of connections that callers one by one do not exceed', {
      filter_chains: [
        usual({}, [networkFilter('connection_limit.v3.ConnectionLimit', { max_connections: 1 })]),
      ],
    }),
    {
      ...situation(tools, 'a TCP proxy to a cluster that does not exist', {
        filter_chains: [tcpChain('web', 'gone')],
      }),
      requests: [{ ...toA, clusters: ['gone'] }],
    },
    {
      ...situation(tools, 'a TCP proxy to the cluster that the server name names', sni),
      clusters: [cluster('secure.example', fixed('secure.example', [port('secure')]))],
      requests: [{ ...toA, isTls: true, serverName: 'secure.example', clusters: ['secure.example'] }],
    },
    {
      ...situation(tools, 'a TCP proxy to weighted clusters, one of which accepts no connection', {
        filter_chains: [
          tcpChain('web', '', {
            cluster: undefined,
            weighted_clusters: {
              clusters: [
                { name: 'a', weight: 1 },
                { name: 'b', weight: 1 },
              ],
            },
          }),
        ],
      }),
      clusters: [cluster('a', fixed('a', [port('good')])), cluster('b', fixed('b', [port('closed')]))],
      requests: [{ ...toA, clusters: ['a', 'b'] }],
    },
  ];
}

function withAddresses(tools: Tools): Situation[] {
  const { port } = tools;
  return [
    situation(
      tools,
      'an additional address',
      { additional_addresses: [{ address: socket(port('other')) }], filter_chains: [usual()] },
      [toA, { ...toA, port: 'other' }],
    ),
    situation(tools, 'a listener at every address of the machine', {
      address: socket(port('web'), '0.0.0.0'),
      filter_chains: [usual()],
    }),
    {
      ...situation(tools, 'a listener at every address beside one at 127.0.0.1', {
        filter_chains: [usual()],
      }),
      listeners: [
        listener('web', port('web'), inline(route('/', 'a'))),
        {
          ...listener('copy', port('web'), inline(route('/', 'b'))),
          address: socket(port('web'), '0.0.0.0'),
        },
      ],
      clusters: [cluster('a', fixed('a', [port('good')])), cluster('b', fixed('b', [port('closed')]))],
    },
  ];
}

/** The server itself accepts no request, whatever its config. */
function withServerState(tools: Tools): Situation[] {
  const { port } = tools;
  const good = fixed('a', [port('good')]);
  const overloaded = (action: string) => ({
    overload_manager: {
      refresh_interval: '0.1s',
      resource_monitors: [
        {
          name: 'envoy.resource_monitors.fixed_heap',
          typed_config: {
            '@type': `${extension}resource_monitors.fixed_heap.v3.FixedHeapConfig`,
            max_heap_size_bytes: 1_000_000,
          },
        },
      ],
      actions: [
        {
          name: `envoy.overload_actions.${action}`,
          triggers: [{ name: 'envoy.resource_monitors.fixed_heap', threshold: { value: 0.5 } }],
        },
      ],
    },
  });
  const waiting = cluster('leaf', {
    type: 'EDS',
    eds_cluster_config: {
      eds_config: {
        ...{ resource_api_version: 'V3', initial_fetch_timeout: '0s' },
        api_config_source: {
          ...{ api_type: 'GRPC', transport_api_version: 'V3' },
          grpc_services: [{ envoy_grpc: { cluster_name: 'silent' } }],
        },
      },
    },
  });
  return [
    {
      ...over(tools, 'the overload manager stops requests', good),
      bootstrap: overloaded('stop_accepting_requests'),
      requests: [unrouted],
    },
    {
      ...over(tools, 'the overload manager stops connections', good),
      bootstrap: overloaded('stop_accepting_connections'),
      requests: [unrouted],
    },
    {
      ...over(tools, 'the listeners were drained by an operator', good),
      commands: ['drain_listeners'],
      requests: [unrouted],
    },
    {
      ...over(tools, 'an operator lets the health check of Envoy fail', good),
      commands: ['healthcheck/fail'],
    },
    {
      ...over(tools, 'Envoy waits for the endpoints of another cluster since its start', good, [
        waiting,
        cluster('silent', fixed('silent', [port('closed')])),
      ]),
      requests: [unrouted],
    },
  ];
}
