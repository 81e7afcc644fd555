import { http2 } from '../envoy/start';
import { backendAuthority, backendName } from './backends';
import type { Situation, Tools } from './situation';
import {
  aggregateOf,
  checked,
  cluster,
  edsFromFile,
  ejecting,
  endpoint,
  endpoints,
  fileSource,
  fixed,
  fixedIn,
  heldPath,
  inline,
  listener,
  over,
  panic,
  response,
  route,
  socket,
  tlsUpstream,
  toA,
} from './situation';

/** What users report of the connections to hosts, of their checks, and of how one is chosen. */
export function situationsOfUpstreams(tools: Tools): Situation[] {
  return [
    ...withProtocols(tools),
    ...withCertificates(tools),
    ...withTimes(tools),
    ...withChecks(tools),
    ...withPanic(tools),
    ...withSettings(tools),
  ];
}

const tlsType = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext';
/** TLS to the host, of which the certificate is validated by these. */
const validating = (validation_context: object, more: object = {}) => ({
  transport_socket: {
    name: 'tls',
    typed_config: { '@type': tlsType, common_tls_context: { validation_context }, ...more },
  },
});
const trusted = ({ certificate }: { certificate: string } = backendAuthority) => ({
  trusted_ca: { inline_string: certificate },
});
const named = (exact: string) => ({
  match_typed_subject_alt_names: [{ san_type: 'DNS', matcher: { exact } }],
});
const httpOptions = 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
const withHttp = (options: object) => ({
  typed_extension_protocol_options: {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': { '@type': httpOptions, ...options },
  },
});

/** The host expects another protocol than the cluster speaks. */
function withProtocols(tools: Tools): Situation[] {
  const { port } = tools;
  const proxied = {
    name: 'proxy',
    typed_config: {
      '@type':
        'type.googleapis.com/envoy.extensions.transport_sockets.proxy_protocol.v3.ProxyProtocolUpstreamTransport',
      transport_socket: {
        name: 'raw',
        typed_config: {
          '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer',
        },
      },
    },
  };
  const pipe = { endpoint: { address: { pipe: { path: '/tmp/xdscope-no-such-socket' } } } };
  const byMetadata = endpoint(port('good'), {
    metadata: { filter_metadata: { 'envoy.transport_socket_match': { mode: 'tls' } } },
  });
  const http2Cluster = (host: string) => ({
    ...fixed('a', [port(host)]),
    typed_extension_protocol_options: http2,
  });
  return [
    over(tools, 'HTTP/2 to a host that speaks HTTP/1.1', http2Cluster('good')),
    over(tools, 'HTTP/2 to a host that speaks it', http2Cluster('modern')),
    over(tools, 'HTTP/1.1 to a host that speaks HTTP/2 alone', fixed('a', [port('modern')])),
    over(tools, 'the protocol of the caller, who speaks HTTP/1.1, to a host that speaks HTTP/2 alone', {
      ...fixed('a', [port('modern')]),
      ...withHttp({
        use_downstream_protocol_config: { http_protocol_options: {}, http2_protocol_options: {} },
      }),
    }),
    over(tools, 'no TLS to a host that expects it', fixed('a', [port('secure')])),
    over(tools, 'a host that closes each connection', fixed('a', [port('closing')])),
    {
      ...over(tools, 'the PROXY protocol to a host that does not expect it, and answers with 400', {
        ...fixed('a', [port('good')]),
        transport_socket: proxied,
      }),
      requests: [{ ...toA, intended: 400 }],
    },
    over(tools, 'metadata of one of two hosts selects TLS, which it does not speak', {
      ...fixedIn('a', { lb_endpoints: [byMetadata, endpoint(port('fine'))] }),
      transport_socket_matches: [{ name: 'tls', match: { mode: 'tls' }, ...tlsUpstream }],
    }),
    over(tools, 'a Unix socket that does not exist', {
      type: 'STATIC',
      load_assignment: { cluster_name: 'a', endpoints: [{ lb_endpoints: [pipe] }] },
    }),
    over(tools, 'a source address that the machine does not have', {
      ...fixed('a', [port('good')]),
      upstream_bind_config: { source_address: { address: '192.0.2.1', port_value: 0 } },
    }),
  ];
}

/** Envoy accepts the certificate of a host or does not, and so does the host with that of Envoy. */
function withCertificates(tools: Tools): Situation[] {
  const { port, file } = tools;
  const secure = fixed('a', [port('secure')]);
  const missing = {
    name: 'tls',
    typed_config: {
      '@type': tlsType,
      common_tls_context: {
        tls_certificate_sds_secret_configs: [{ name: 'cert', sds_config: fileSource(file('secrets')) }],
      },
    },
  };
  const client = backendAuthority.issue({ dns: 'client.example' });
  const certified = {
    name: 'tls',
    typed_config: {
      '@type': tlsType,
      common_tls_context: {
        tls_certificates: [
          {
            certificate_chain: { inline_string: client.certificate },
            private_key: { inline_string: client.key },
          },
        ],
      },
    },
  };
  return [
    over(tools, 'a certificate of the host that is not validated', { ...secure, ...tlsUpstream }),
    over(tools, 'a certificate of the host by a trusted authority, for another name', {
      ...secure,
      ...validating({ ...trusted(), ...named('other.example') }),
    }),
    over(tools, 'a certificate of the host by a trusted authority, for its name', {
      ...secure,
      ...validating({ ...trusted(), ...named(backendName) }),
    }),
    over(tools, 'a certificate of the host by an authority that is not trusted', {
      ...secure,
      ...validating(trusted(backendAuthority.issue({ dns: 'no authority' }))),
    }),
    {
      ...over(tools, 'the name in the certificate of the host must be that of the request', {
        ...secure,
        ...validating(trusted()),
        ...withHttp({
          upstream_http_protocol_options: { auto_sni: true, auto_san_validation: true },
          explicit_http_config: { http_protocol_options: {} },
        }),
      }),
      requests: [
        { ...toA, headers: { host: backendName } },
        { ...toA, headers: { host: 'other.example' } },
      ],
    },
    over(tools, 'a host that requires a certificate of Envoy, which has none', {
      ...fixed('a', [port('mutual')]),
      ...tlsUpstream,
    }),
    over(tools, 'a host that requires a certificate of Envoy, which has one', {
      ...fixed('a', [port('mutual')]),
      transport_socket: certified,
    }),
    {
      ...over(tools, 'the certificate of Envoy for its hosts was rejected from the start', {
        ...fixed('a', [port('mutual')]),
        transport_socket: missing,
      }),
      files: { secrets: [response('secrets')] },
    },
  ];
}

/** Timeouts. */
function withTimes(tools: Tools): Situation[] {
  const { port } = tools;
  const limited = (name: string, more: object): Situation => ({
    ...over(tools, name, fixed('a', [port('good')])),
    listeners: [listener('web', port('web'), inline(route('/', 'a', more)))],
    requests: [{ ...toA, path: heldPath }],
  });
  return [
    limited('a host that answers later than the timeout of the route', { timeout: '0.2s' }),
    limited('a host that answers later than the idle timeout of the route', {
      ...{ timeout: '0s', idle_timeout: '0.2s' },
    }),
    limited('a host that answers later than max_stream_duration', {
      ...{ timeout: '0s', max_stream_duration: { max_stream_duration: '0.2s' } },
    }),
  ];
}

/** Health checks and outlier detection that differ from what a request would find. */
function withChecks(tools: Tools): Situation[] {
  const { port, file } = tools;
  const [check] = checked.health_checks;
  const checkedBy = (more: object, ...hosts: object[]) => ({
    ...fixedIn('a', { lb_endpoints: hosts }),
    ...panic(0),
    health_checks: [{ ...check, ...more }],
  });
  const good = endpoint(port('good'));
  const atOther = {
    endpoint: { address: socket(port('good')), health_check_config: { port_value: port('closed') } },
  };
  const removed = (name: string, more: object): Situation => ({
    ...over(tools, name, { ...edsFromFile(file('endpoints')), ...checked, ...panic(0), ...more }),
    files: {
      endpoints: [
        response('endpoints', endpoints('a', [port('good')])),
        response('endpoints', { cluster_name: 'a' }),
      ],
    },
  });
  const detecting = (more: object, ...hosts: string[]) => ({
    ...fixed('a', hosts.map(port)),
    outlier_detection: { ...ejecting(300).outlier_detection, ...more },
  });
  return [
    over(tools, 'a health check at a port that accepts no connection', checkedBy({}, atOther)),
    over(
      tools,
      'a health check that expects another status',
      checkedBy({ http_health_check: { path: '/', expected_statuses: [{ start: 201, end: 202 }] } }, good),
    ),
    over(
      tools,
      'a TCP health check of a host that answers with 500',
      checkedBy({ http_health_check: undefined, tcp_health_check: {} }, endpoint(port('bad'))),
    ),
    over(tools, 'a gRPC health check of a host that speaks HTTP/1.1', {
      ...checkedBy({ http_health_check: undefined, grpc_health_check: {} }, good),
      typed_extension_protocol_options: http2,
    }),
    removed('a host that EDS no longer has passes its health checks', {}),
    removed('a host that EDS no longer has, its health is ignored', { ignore_health_on_host_removal: true }),
    over(
      tools,
      'max_ejection_percent allows no ejection',
      detecting({ max_ejection_percent: 10 }, 'good', 'bad'),
    ),
    over(
      tools,
      'outlier detection that is not enforced',
      detecting({ enforcing_consecutive_5xx: 0 }, 'good', 'bad'),
    ),
    over(tools, 'every host is ejected, panic', detecting({}, 'bad', 'bad')),
  ];
}

/** Too few hosts are healthy. */
function withPanic(tools: Tools): Situation[] {
  const { port, file } = tools;
  const byEds = (name: string, health: string, more: object = {}): Situation => ({
    ...over(tools, name, { ...edsFromFile(file('endpoints')), ...more }),
    files: {
      endpoints: [
        response('endpoints', {
          cluster_name: 'a',
          endpoints: [{ lb_endpoints: [endpoint(port('good'), { health_status: health })] }],
        }),
      ],
    },
  });
  const failing = { common_lb_config: { zone_aware_lb_config: { fail_traffic_on_panic: true } } };
  const locality = (zone: string, host: string) => ({
    locality: { zone },
    lb_endpoints: [endpoint(port(host))],
  });
  return [
    byEds('every endpoint is UNHEALTHY in EDS, panic', 'UNHEALTHY'),
    byEds('every endpoint is DRAINING in EDS, panic', 'DRAINING'),
    byEds('every endpoint is DEGRADED in EDS', 'DEGRADED'),
    byEds('every endpoint is TIMEOUT in EDS, no panic', 'TIMEOUT', panic(0)),
    byEds('every endpoint is UNHEALTHY in EDS, and panic fails requests', 'UNHEALTHY', failing),
    over(tools, 'no locality has a weight, and weights choose', {
      ...fixedIn('a', locality('x', 'good'), locality('y', 'fine')),
      common_lb_config: { locality_weighted_lb_config: {} },
    }),
    over(tools, 'one of two priorities is half healthy, and the factor for overprovisioning is 100', {
      type: 'STATIC',
      ...checked,
      ...panic(0),
      load_assignment: {
        ...endpoints('a', [port('good'), port('closed')], [port('bad')]),
        policy: { overprovisioning_factor: 100 },
      },
    }),
  ];
}

/** Other fields of a cluster that decide. */
function withSettings(tools: Tools): Situation[] {
  const { port } = tools;
  const high = { thresholds: [{ priority: 'HIGH', max_requests: 0, max_pending_requests: 0 }] };
  const localhost = { endpoint: { address: socket(port('good'), 'localhost') } };
  const policy = (name: string, type: string, more: object = {}) => ({
    typed_extension_config: {
      name,
      typed_config: {
        '@type': `type.googleapis.com/envoy.extensions.load_balancing_policies.${type}`,
        ...more,
      },
    },
  });
  return [
    {
      ...over(tools, 'the circuit breaker of priority HIGH allows no request', {
        ...fixed('a', [port('good')]),
        circuit_breakers: high,
      }),
      listeners: [
        listener('web', port('web'), inline(route('/high', 'a', { priority: 'HIGH' }), route('/', 'a'))),
      ],
      requests: [{ ...toA, path: '/high' }, toA],
    },
    over(tools, 'a DNS name of which only IPv6 addresses count, and the host has IPv4', {
      ...{ type: 'STRICT_DNS', dns_lookup_family: 'V6_ONLY' },
      load_assignment: { cluster_name: 'a', endpoints: [{ lb_endpoints: [localhost] }] },
    }),
    over(tools, 'a logical DNS name that resolves', {
      ...{ type: 'LOGICAL_DNS', dns_lookup_family: 'V4_ONLY' },
      load_assignment: { cluster_name: 'a', endpoints: [{ lb_endpoints: [localhost] }] },
    }),
    over(tools, 'a ring hash without a hash policy', {
      ...fixed('a', [port('good'), port('fine')]),
      lb_policy: 'RING_HASH',
    }),
    over(tools, 'load balancing policies, the first of which is not known', {
      ...fixed('a', [port('good')]),
      load_balancing_policy: {
        policies: [
          {
            typed_extension_config: {
              name: 'ours',
              typed_config: {
                '@type': 'type.googleapis.com/xds.type.v3.TypedStruct',
                type_url: 'type.googleapis.com/ours.Policy',
              },
            },
          },
          policy('random', 'random.v3.Random'),
        ],
      },
    }),
    over(tools, 'a connection for each request', {
      ...fixed('a', [port('good')]),
      ...withHttp({
        common_http_protocol_options: { max_requests_per_connection: 1 },
        explicit_http_config: { http_protocol_options: {} },
      }),
    }),
    over(tools, 'an aggregate, the first leaf of which has no host', aggregateOf('first', 'leaf'), [
      cluster('first', fixed('first', [])),
      cluster('leaf', fixed('leaf', [port('good')])),
    ]),
  ];
}
