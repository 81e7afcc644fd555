const httpFilters = below('envoy.filters.http.', {
  'envoy.buffer': 'buffer',
  'envoy.cors': 'cors',
  'envoy.csrf': 'csrf',
  'envoy.ext_authz': 'ext_authz',
  'envoy.fault': 'fault',
  'envoy.grpc_http1_bridge': 'grpc_http1_bridge',
  'envoy.grpc_json_transcoder': 'grpc_json_transcoder',
  'envoy.grpc_web': 'grpc_web',
  'envoy.gzip': 'gzip',
  'envoy.health_check': 'health_check',
  'envoy.http_dynamo_filter': 'dynamo',
  'envoy.ip_tagging': 'ip_tagging',
  'envoy.lua': 'lua',
  'envoy.rate_limit': 'ratelimit',
  'envoy.router': 'router',
  'envoy.squash': 'squash',
});
const networkFilters = below('envoy.filters.network.', {
  'envoy.client_ssl_auth': 'client_ssl_auth',
  'envoy.echo': 'echo',
  'envoy.ext_authz': 'ext_authz',
  'envoy.http_connection_manager': 'http_connection_manager',
  'envoy.mongo_proxy': 'mongo_proxy',
  'envoy.ratelimit': 'ratelimit',
  'envoy.redis_proxy': 'redis_proxy',
  'envoy.tcp_proxy': 'tcp_proxy',
});

/**
 * Extensions by names that they had before (in v2 mostly) with the names that they have now. By the message and field
 * that name them, since one old name means another extension elsewhere. Envoy took both for the same for years; today it
 * looks at the type of the config, and the name is a label.
 * Maps of config by filter have such names as keys, which Envoy read by the same table (`FilterNameUtil::canonicalFilterName`
 * over `typed_per_filter_config` and `typed_extension_protocol_options`).
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
    'envoy.lightstep': 'lightstep',
    'envoy.zipkin': 'zipkin',
  }),
};

function below(prefix: string, names: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(names).map(([former, now]) => [former, `${prefix}${now}`]));
}
