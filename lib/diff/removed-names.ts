const httpFilters = below('envoy.filters.http.', {
  ...sameNames(
    'buffer',
    'cors',
    'csrf',
    'ext_authz',
    'fault',
    'grpc_http1_bridge',
    'grpc_json_transcoder',
    'grpc_web',
  ),
  ...sameNames('gzip', 'health_check', 'ip_tagging', 'lua', 'router', 'squash'),
  'envoy.http_dynamo_filter': 'dynamo',
  'envoy.rate_limit': 'ratelimit',
});
const networkFilters = below('envoy.filters.network.', {
  ...sameNames('client_ssl_auth', 'echo', 'ext_authz', 'http_connection_manager', 'mongo_proxy', 'ratelimit'),
  ...sameNames('redis_proxy', 'tcp_proxy'),
});

/**
 * Former names of extensions (mostly of v2), with their present names, by the message and field that names the extension,
 * since a former name may stand for another extension elsewhere. Envoy accepted both names for years; today it uses the
 * type of the config, and the name is a label. Maps of config by filter have such names as keys, which Envoy mapped with
 * the same table (`FilterNameUtil::canonicalFilterName`).
 */
export const previousNames: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  'envoy.config.listener.v3.Filter.name': networkFilters,
  'envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter.name': httpFilters,
  'envoy.config.route.v3.RouteConfiguration.typedPerFilterConfig': httpFilters,
  'envoy.config.route.v3.VirtualHost.typedPerFilterConfig': httpFilters,
  'envoy.config.route.v3.Route.typedPerFilterConfig': httpFilters,
  'envoy.config.route.v3.WeightedCluster.ClusterWeight.typedPerFilterConfig': httpFilters,
  'envoy.config.cluster.v3.Cluster.typedExtensionProtocolOptions': networkFilters,
  'envoy.config.listener.v3.ListenerFilter.name': below('envoy.filters.listener.', {
    'envoy.listener.http_inspector': 'http_inspector',
    'envoy.listener.original_dst': 'original_dst',
    'envoy.listener.original_src': 'original_src',
    'envoy.listener.proxy_protocol': 'proxy_protocol',
    'envoy.listener.tls_inspector': 'tls_inspector',
  }),
  'envoy.config.accesslog.v3.AccessLog.name': below('envoy.access_loggers.', {
    'envoy.file_access_log': 'file',
    'envoy.http_grpc_access_log': 'http_grpc',
    'envoy.tcp_grpc_access_log': 'tcp_grpc',
  }),
  'envoy.config.core.v3.TransportSocket.name': below('envoy.transport_sockets.', {
    raw_buffer: 'raw_buffer',
    tls: 'tls',
  }),
  'envoy.config.trace.v3.Tracing.Http.name': below('envoy.tracers.', {
    'envoy.dynamic.ot': 'dynamic_ot',
    ...sameNames('lightstep', 'zipkin'),
  }),
};

function below(prefix: string, names: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(names).map(([former, now]) => [former, `${prefix}${now}`]));
}

/** Names whose former name has the prefix "envoy." alone. */
function sameNames(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`envoy.${name}`, name]));
}
