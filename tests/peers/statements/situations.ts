/** The config of an Envoy, by placeholders: `port` of a name is a free port, the same in every file of the situation. */
export interface Situation {
  readonly name: string;
  /** The resources that the bootstrap contains. */
  readonly listeners: readonly object[];
  readonly clusters: readonly object[];
  /** Files that Envoy watches, in the order in which each is written; the next version follows when Envoy has read one. */
  readonly files?: Readonly<Record<string, readonly object[]>>;
  readonly requests: readonly Request[];
  /** Why views are wrong in it so far. The matrix shows that they are. */
  readonly notYet?: string;
}

export interface Request {
  readonly listener: string;
  readonly path: string;
  /** The cluster to which its route leads; absent: none. */
  readonly cluster?: string;
  readonly isTls?: true;
}

export type PortOf = (name: string) => number;
export type FileOf = (name: string) => string;

const extension = 'type.googleapis.com/envoy.extensions.';
const socket = (port: number) => ({ socket_address: { address: '127.0.0.1', port_value: port } });
const fileSource = (path: string) => ({ resource_api_version: 'V3', path_config_source: { path } });

export const route = (prefix: string, cluster: string) => ({ match: { prefix }, route: { cluster } });
export const host = (...routes: object[]) => ({ name: 'all', domains: ['*'], routes });

export function listener(name: string, port: number, routes: object, socketOf: object = {}): object {
  const manager = {
    '@type': `${extension}filters.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: name,
    ...routes,
    http_filters: [
      { name: 'router', typed_config: { '@type': `${extension}filters.http.router.v3.Router` } },
    ],
  };
  const chain = { filters: [{ name: 'http', typed_config: manager }], ...socketOf };
  return { name, address: socket(port), filter_chains: [chain] };
}

export const inline = (...routes: object[]) => ({
  route_config: { name: 'inline', virtual_hosts: [host(...routes)] },
});
export const fromFile = (name: string, path: string) => ({
  rds: { route_config_name: name, config_source: fileSource(path) },
});
export const tlsFromFile = (name: string, path: string) => ({
  transport_socket: {
    name: 'tls',
    typed_config: {
      '@type': `${extension}transport_sockets.tls.v3.DownstreamTlsContext`,
      common_tls_context: { tls_certificate_sds_secret_configs: [{ name, sds_config: fileSource(path) }] },
    },
  },
});

/** Endpoints by priority. */
export function endpoints(cluster: string, ...priorities: number[][]): object {
  return {
    cluster_name: cluster,
    endpoints: priorities.map((ports, priority) => ({
      priority,
      lb_endpoints: ports.map((port) => ({ endpoint: { address: socket(port) } })),
    })),
  };
}

export const cluster = (name: string, more: object) => ({ name, connect_timeout: '1s', ...more });
export const fixed = (name: string, ...priorities: number[][]) => ({
  type: 'STATIC',
  load_assignment: endpoints(name, ...priorities),
});
export const edsFromFile = (path: string) => ({
  type: 'EDS',
  eds_cluster_config: { eds_config: fileSource(path) },
});
const aggregateOf = (...clusters: string[]) => ({
  cluster_type: {
    name: 'envoy.clusters.aggregate',
    typed_config: { '@type': `${extension}clusters.aggregate.v3.ClusterConfig`, clusters },
  },
  lb_policy: 'CLUSTER_PROVIDED',
});
export const checked = {
  health_checks: [
    {
      ...{ timeout: '1s', interval: '0.3s', no_traffic_interval: '0.3s' },
      ...{ unhealthy_threshold: 1, healthy_threshold: 1, http_health_check: { path: '/healthz' } },
    },
  ],
};
export const panic = (value: number) => ({ common_lb_config: { healthy_panic_threshold: { value } } });
const ejecting = {
  outlier_detection: {
    ...{ consecutive_5xx: 2, interval: '0.3s', base_ejection_time: '300s', max_ejection_percent: 100 },
  },
};

/** A response of a file source. */
const response = (type: string, ...resources: object[]) => ({
  version_info: '1',
  resources: resources.map((each) => ({ '@type': `type.googleapis.com/envoy.${type}`, ...each })),
});
const routesType = 'config.route.v3.RouteConfiguration';
const endpointsType = 'config.endpoint.v3.ClusterLoadAssignment';
const secretType = `extensions.transport_sockets.tls.v3.Secret`;
const twice = (name: string) => ({
  name,
  virtual_hosts: [host(route('/', 'a')), { ...host(), name: 'again' }],
});

/**
 * The backends: `good` answers 200, `sick` fails its health checks and answers 200 to everything else, `bad` answers 500,
 * `closed` accepts no connection.
 */
export function situations(port: PortOf, file: FileOf): Situation[] {
  const web = { listener: 'web', path: '/', cluster: 'a' } as const;
  const over = (name: string, more: object): Situation => ({
    name,
    listeners: [listener('web', port('web'), inline(route('/', 'a')))],
    clusters: [cluster('a', more)],
    requests: [web],
  });
  const byFile = (name: string, ...versions: object[]): Situation => ({
    name,
    listeners: [listener('web', port('web'), fromFile('routes', file('routes')))],
    clusters: [cluster('a', fixed('a', [port('good')]))],
    files: { routes: versions.map((each) => response(routesType, each)) },
    requests: [web],
  });
  const byEds = (name: string, ...versions: object[]): Situation => ({
    ...over(name, edsFromFile(file('endpoints'))),
    files: { endpoints: versions.map((each) => response(endpointsType, each)) },
  });
  const good = { name: 'routes', virtual_hosts: [host(route('/', 'a'))] };
  const named = {
    endpoint: { address: { socket_address: { address: 'localhost', port_value: port('good') } } },
  };
  const rejected = { cluster_name: 'a', endpoints: [{ lb_endpoints: [named] }] };
  return [
    over('a healthy host', fixed('a', [port('good')])),
    over('a host that accepts no connection', fixed('a', [port('closed')])),
    over('one of two hosts accepts no connection', fixed('a', [port('good'), port('closed')])),
    {
      ...over('an aggregate whose only leaf accepts no connection', aggregateOf('leaf')),
      clusters: [cluster('a', aggregateOf('leaf')), cluster('leaf', fixed('leaf', [port('closed')]))],
    },
    over('no host', fixed('a', [])),
    over('every host fails its health check, no panic', {
      ...fixed('a', [port('sick')]),
      ...checked,
      ...panic(0),
    }),
    over('every host fails its health check, panic', { ...fixed('a', [port('sick')]), ...checked }),
    over('the first priority fails its health check', {
      ...fixed('a', [port('sick')], [port('good')]),
      ...checked,
      ...panic(0),
    }),
    over('the only host is ejected, no panic', { ...fixed('a', [port('bad')]), ...ejecting, ...panic(0) }),
    over('a DNS name that resolves', {
      ...{ type: 'STRICT_DNS', dns_lookup_family: 'V4_ONLY' },
      load_assignment: { cluster_name: 'a', endpoints: [{ lb_endpoints: [named] }] },
    }),
    byFile('accepted routes', good),
    byFile('routes that were rejected from the start', twice('routes')),
    byFile('routes that were rejected after accepted ones', good, twice('routes')),
    byFile('routes without a virtual host', { name: 'routes' }),
    byFile('a route to a cluster that does not exist', {
      name: 'routes',
      virtual_hosts: [host(route('/', 'gone'))],
    }),
    byEds('accepted endpoints', endpoints('a', [port('good')])),
    byEds('endpoints that were rejected from the start', rejected),
    byEds('endpoints that were rejected after accepted ones', endpoints('a', [port('good')]), rejected),
    byEds('accepted endpoints without a host', { cluster_name: 'a' }),
    {
      name: 'a secret that was rejected from the start',
      listeners: [
        listener('web', port('web'), inline(route('/', 'a')), tlsFromFile('cert', file('secrets'))),
      ],
      clusters: [cluster('a', fixed('a', [port('good')]))],
      // A response without the secret counts as rejected.
      files: { secrets: [response(secretType)] },
      requests: [{ ...web, isTls: true }],
    },
    {
      name: 'one of two clusters has no usable host',
      listeners: [listener('web', port('web'), inline(route('/b', 'b'), route('/', 'a')))],
      clusters: [
        cluster('a', fixed('a', [port('good')])),
        cluster('b', { ...fixed('b', [port('sick')]), ...checked, ...panic(0) }),
      ],
      requests: [web, { listener: 'web', path: '/b', cluster: 'b' }],
    },
    {
      name: 'a direct response beside a cluster without hosts',
      listeners: [
        listener(
          'web',
          port('web'),
          inline({ match: { prefix: '/ok' }, direct_response: { status: 200 } }, route('/', 'a')),
        ),
      ],
      clusters: [cluster('a', fixed('a', []))],
      requests: [web, { listener: 'web', path: '/ok' }],
    },
    {
      ...over('subsets, none of which is selected', {
        ...fixed('a', [port('good')]),
        lb_subset_config: { fallback_policy: 'NO_FALLBACK', subset_selectors: [{ keys: ['version'] }] },
      }),
      notYet: 'subsets are named and not modelled',
    },
  ];
}
