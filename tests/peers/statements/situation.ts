/** The config of an Envoy, with the ports and files that its tools chose. */
export interface Situation {
  readonly name: string;
  /** The resources that the bootstrap contains. */
  readonly listeners: readonly object[];
  readonly clusters: readonly object[];
  /** Further fields of the bootstrap. */
  readonly bootstrap?: {
    readonly node?: object;
    readonly cluster_manager?: object;
    readonly dynamic_resources?: object;
    readonly bootstrap_extensions?: readonly object[];
    readonly layered_runtime?: object;
    readonly overload_manager?: object;
  };
  /** Files that Envoy watches, in the order in which each is written; the next version follows when Envoy has read one. */
  readonly files?: Readonly<Partial<Record<FileType, readonly Response[]>>>;
  /** Sent to the admin interface before requests, as "drain_listeners". */
  readonly commands?: readonly string[];
  readonly requests: readonly Request[];
  /** Sent before the others, and not answered while they are measured. */
  readonly held?: Request;
  /** The statuses with which the backend `turning` answers the first requests and the measured ones. */
  readonly turning?: readonly [first: number, then: number];
  /** The resource in its file has another name than the subscription, of which validate does not know. */
  readonly isOfOther?: true;
}

/** No backend answers it. */
export const heldPath = '/held';

/** The type of the resources in a file, by which it is named. */
export type FileType = 'listeners' | 'routes' | 'clusters' | 'endpoints' | 'secrets' | 'extensions';

export interface Request {
  readonly listener: string;
  /** The name of the port to which it is sent; absent: "web". */
  readonly port?: string;
  readonly path: string;
  /** The clusters to which its route leads; absent: none. */
  readonly clusters?: readonly string[];
  /** The filter chain that serves it; absent: the listener has one. */
  readonly chain?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isTls?: true;
  /** The certificate by which the caller verifies that of the listener; absent: it does not. */
  readonly authority?: string;
  /** By which a subset of the hosts is chosen, as in "with version=1"; absent: the cluster has no subsets. */
  readonly metadata?: string;
  /** The host of its cluster is named by a header. */
  readonly namesHost?: true;
  /** The path is a command of Redis, which the host answers with +OK. */
  readonly isRedis?: true;
  /** The server name (SNI) that it states. */
  readonly serverName?: string;
  /** What it has decides, as a header, and the config alone states nothing of it: Explain does. */
  readonly isOfExplain?: true;
  /** The status of the answer that its route intends; absent: 200. */
  readonly intended?: number;
}

/** What a situation is built with. Situations that run at the same time have different tools. */
export interface Tools {
  /** A free port for each name: the same one in every file of the situation. */
  readonly port: (name: string) => number;
  readonly file: (type: FileType) => string;
}

const extension = 'type.googleapis.com/envoy.extensions.';
export const socket = (port: number, address = '127.0.0.1') => ({
  socket_address: { address, port_value: port },
});
export const fileSource = (path: string) => ({ resource_api_version: 'V3', path_config_source: { path } });
/** A management server of this cluster, which sends no response within the time. */
export const silentSource = (cluster: string, timeout: string) => ({
  resource_api_version: 'V3',
  initial_fetch_timeout: timeout,
  api_config_source: {
    api_type: 'GRPC',
    transport_api_version: 'V3',
    grpc_services: [{ envoy_grpc: { cluster_name: cluster } }],
  },
});

export const route = (prefix: string, cluster: string, more: object = {}) => ({
  match: { prefix },
  route: { cluster, ...more },
});
export const host = (...routes: object[]) => ({ name: 'all', domains: ['*'], routes });
const router = { name: 'router', typed_config: { '@type': `${extension}filters.http.router.v3.Router` } };
export const httpFilter = (type: string, config: object) => ({
  name: type,
  typed_config: { '@type': `${extension}filters.http.${type}`, ...config },
});

export function chain(name: string, routes: object, more: object = {}, httpFilters: object[] = []): object {
  const manager = {
    '@type': `${extension}filters.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: name,
    ...routes,
    http_filters: [...httpFilters, router],
  };
  return { name, filters: [{ name: 'http', typed_config: manager }], ...more };
}

export function tcpChain(name: string, cluster: string, more: object = {}): object {
  const config = {
    '@type': `${extension}filters.network.tcp_proxy.v3.TcpProxy`,
    stat_prefix: name,
    cluster,
    ...more,
  };
  return { name, filters: [{ name: 'tcp', typed_config: config }] };
}

export function listener(name: string, port: number, routes: object, more: object = {}): object {
  return { name, address: socket(port), filter_chains: [chain(name, routes, more)] };
}

export const inline = (...routes: object[]) => ({
  route_config: { name: 'inline', virtual_hosts: [host(...routes)] },
});
export const fromSource = (name: string, source: object) => ({
  rds: { route_config_name: name, config_source: source },
});
export const fromFile = (name: string, path: string) => fromSource(name, fileSource(path));
export const tlsFromFile = (name: string, path: string) => ({
  transport_socket: {
    name: 'tls',
    typed_config: {
      '@type': `${extension}transport_sockets.tls.v3.DownstreamTlsContext`,
      common_tls_context: { tls_certificate_sds_secret_configs: [{ name, sds_config: fileSource(path) }] },
    },
  },
});
export const tlsWith = ({ certificate, key }: { certificate: string; key: string }) => ({
  transport_socket: {
    name: 'tls',
    typed_config: {
      '@type': `${extension}transport_sockets.tls.v3.DownstreamTlsContext`,
      common_tls_context: {
        tls_certificates: [
          { certificate_chain: { inline_string: certificate }, private_key: { inline_string: key } },
        ],
      },
    },
  },
});
export const tlsInspector = {
  name: 'tls_inspector',
  typed_config: { '@type': `${extension}filters.listener.tls_inspector.v3.TlsInspector` },
};
export const tlsUpstream = {
  transport_socket: {
    name: 'tls',
    typed_config: { '@type': `${extension}transport_sockets.tls.v3.UpstreamTlsContext` },
  },
};

export const endpoint = (port: number, more: object = {}) => ({
  endpoint: { address: socket(port) },
  ...more,
});

/** Endpoints by priority. */
export function endpoints(cluster: string, ...priorities: number[][]): object {
  return {
    cluster_name: cluster,
    endpoints: priorities.map((ports, priority) => ({
      priority,
      lb_endpoints: ports.map((port) => endpoint(port)),
    })),
  };
}

export const cluster = (name: string, more: object) => ({ name, connect_timeout: '1s', ...more });
export const fixed = (name: string, ...priorities: number[][]) => ({
  type: 'STATIC',
  load_assignment: endpoints(name, ...priorities),
});
export const fixedIn = (name: string, ...localities: object[]) => ({
  type: 'STATIC',
  load_assignment: { cluster_name: name, endpoints: localities },
});
export const edsFrom = (source: object) => ({ type: 'EDS', eds_cluster_config: { eds_config: source } });
export const edsFromFile = (path: string) => edsFrom(fileSource(path));
export const aggregateOf = (...clusters: string[]) => ({
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
export const ejecting = (seconds: number) => ({
  outlier_detection: {
    ...{ consecutive_5xx: 2, interval: '0.3s', max_ejection_percent: 100 },
    ...{ base_ejection_time: `${seconds}s`, max_ejection_time: `${seconds}s` },
  },
});

export interface Response {
  readonly version_info: string;
  readonly resources: readonly object[];
}

/** A response of a file source. */
export const response = (type: FileType, ...resources: object[]): Response => ({
  version_info: '1',
  resources: resources.map((each) => ({
    '@type': `type.googleapis.com/envoy.${messages[type]}`,
    ...each,
  })),
});
const messages: Readonly<Record<FileType, string>> = {
  listeners: 'config.listener.v3.Listener',
  routes: 'config.route.v3.RouteConfiguration',
  clusters: 'config.cluster.v3.Cluster',
  endpoints: 'config.endpoint.v3.ClusterLoadAssignment',
  secrets: 'extensions.transport_sockets.tls.v3.Secret',
  extensions: 'config.core.v3.TypedExtensionConfig',
};

export const toA = { listener: 'web', path: '/', clusters: ['a'] } as const;

/** A listener whose requests all lead to the cluster `a`, with these fields. */
export function over({ port }: Tools, name: string, more: object, others: object[] = []): Situation {
  return {
    name,
    listeners: [listener('web', port('web'), inline(route('/', 'a')))],
    clusters: [cluster('a', more), ...others],
    requests: [toA],
  };
}
