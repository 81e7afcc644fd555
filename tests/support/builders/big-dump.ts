/** The amounts of a generated dump. */
export interface DumpSize {
  readonly clusters: number;
  /** The number of routes in all route configurations. */
  readonly routes: number;
  readonly routesPerConfig: number;
  /** The number of endpoints in all clusters. */
  readonly endpoints: number;
}

export const largeDump: DumpSize = {
  clusters: 30_000,
  routes: 15_000,
  routesPerConfig: 50,
  endpoints: 50_000,
};

const type = (name: string): string => `type.googleapis.com/envoy.${name}`;
const updatedAt = (index: number): string =>
  new Date(Date.UTC(2026, 0, 1) + (index % 86_400) * 1_000).toISOString();
const nameOf = (index: number): string =>
  `outbound|${8000 + (index % 16)}|v${index % 3}|service-${index}.namespace-${index % 400}.svc.cluster.local`;

/**
 * Pieces of an answer of Envoy to /config_dump?include_eds in its order and notation (snake_case, one space a level):
 * bootstrap, clusters, endpoints, listeners, routes. Equal sizes yield equal dumps.
 */
export function* makeConfigDump(size: DumpSize = largeDump): Generator<string> {
  yield '{\n "configs": [\n';
  yield `${indented(bootstrap, 2)},\n`;
  yield* listOf('admin.v3.ClustersConfigDump', 'dynamic_active_clusters', size.clusters, clusterItem);
  yield ',\n';
  yield* listOf('admin.v3.EndpointsConfigDump', 'dynamic_endpoint_configs', size.clusters, (index) =>
    endpointsItem(index, size),
  );
  yield ',\n';
  const configs = Math.ceil(size.routes / size.routesPerConfig);
  yield* listOf('admin.v3.ListenersConfigDump', 'dynamic_listeners', Math.min(10, configs), listenerItem);
  yield ',\n';
  yield* listOf('admin.v3.RoutesConfigDump', 'dynamic_route_configs', configs, (index) =>
    routesItem(index, size),
  );
  yield '\n ]\n}\n';
}

function indented(json: unknown, level: number): string {
  const pad = ' '.repeat(level);
  return pad + JSON.stringify(json, null, 1).replaceAll('\n', `\n${pad}`);
}

function* listOf(
  dump: string,
  list: string,
  count: number,
  item: (index: number) => unknown,
): Generator<string> {
  yield `  {\n   "@type": "${type(dump)}",\n   "version_info": "7",\n   "${list}": [\n`;
  for (let index = 0; index < count; index++) {
    yield indented(item(index), 4) + (index === count - 1 ? '\n' : ',\n');
  }
  yield '   ]\n  }';
}

const bootstrap = {
  '@type': type('admin.v3.BootstrapConfigDump'),
  bootstrap: {
    node: {
      id: 'router~10.0.0.7~gateway-0.edge~edge.svc.cluster.local',
      cluster: 'gateway.edge',
      metadata: { NAMESPACE: 'edge', ISTIO_VERSION: '1.24.0', LABELS: { app: 'gateway' } },
      locality: { region: 'eu-west', zone: 'eu-west-1a' },
      user_agent_name: 'envoy',
      user_agent_build_version: { version: { major_number: 1, minor_number: 32 } },
    },
    dynamic_resources: { ads_config: { api_type: 'GRPC', transport_api_version: 'V3' } },
    admin: { address: { socket_address: { address: '127.0.0.1', port_value: 15_000 } } },
  },
  last_updated: updatedAt(0),
};

function clusterItem(index: number): unknown {
  const name = nameOf(index);
  return {
    version_info: `2026-01-01T00:00:00Z/${index % 900}`,
    cluster: {
      '@type': type('config.cluster.v3.Cluster'),
      name,
      type: 'EDS',
      eds_cluster_config: { eds_config: { ads: {}, resource_api_version: 'V3' }, service_name: name },
      connect_timeout: '10s',
      lb_policy: 'LEAST_REQUEST',
      circuit_breakers: {
        thresholds: [
          { max_connections: 4294967295, max_pending_requests: 4294967295, max_requests: 4294967295 },
          {
            priority: 'HIGH',
            max_connections: 65536,
            max_pending_requests: 65536,
            max_retries: 3,
            retry_budget: { budget_percent: { value: 20 }, min_retry_concurrency: 3 },
            track_remaining: true,
          },
        ],
      },
      outlier_detection: { consecutive_5xx: 5, interval: '30s', max_ejection_percent: 20 },
      common_lb_config: { locality_weighted_lb_config: {}, healthy_panic_threshold: {} },
      metadata: {
        filter_metadata: {
          istio: {
            config: `/apis/networking.istio.io/v1/namespaces/namespace-${index % 400}/destination-rule/rule-${index}`,
            services: [{ namespace: `namespace-${index % 400}`, host: name, name: `service-${index}` }],
          },
        },
      },
      typed_extension_protocol_options: {
        'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
          '@type': type('extensions.upstreams.http.v3.HttpProtocolOptions'),
          common_http_protocol_options: { idle_timeout: '3600s', max_connection_duration: '86400s' },
          use_downstream_protocol_config: { http2_protocol_options: { max_concurrent_streams: 1073741824 } },
        },
      },
      upstream_connection_options: { tcp_keepalive: { keepalive_probes: 9, keepalive_time: 7200 } },
      alt_stat_name: `outbound_${8000 + (index % 16)}_v${index % 3}_service-${index}_namespace-${index % 400};`,
      transport_socket: {
        name: 'envoy.transport_sockets.tls',
        typed_config: {
          '@type': type('extensions.transport_sockets.tls.v3.UpstreamTlsContext'),
          common_tls_context: {
            alpn_protocols: ['istio-peer-exchange', 'istio', 'h2'],
            tls_certificate_sds_secret_configs: [sds('default')],
            combined_validation_context: {
              default_validation_context: {
                match_typed_subject_alt_names: [
                  {
                    san_type: 'URI',
                    matcher: { exact: `spiffe://cluster.local/ns/namespace-${index % 400}/sa/default` },
                  },
                ],
              },
              validation_context_sds_secret_config: sds('ROOTCA'),
            },
          },
          sni: `outbound_.${8000 + (index % 16)}_.v${index % 3}_.service-${index}.namespace-${index % 400}`,
        },
      },
    },
    last_updated: updatedAt(index),
  };
}

function sds(name: string): unknown {
  return {
    name,
    sds_config: {
      api_config_source: {
        api_type: 'GRPC',
        grpc_services: [{ envoy_grpc: { cluster_name: 'sds-grpc' } }],
        set_node_on_first_message_only: true,
        transport_api_version: 'V3',
      },
      resource_api_version: 'V3',
    },
  };
}

function endpointsItem(index: number, { clusters, endpoints }: DumpSize): unknown {
  const first = Math.floor((index * endpoints) / clusters);
  const behind = Math.floor(((index + 1) * endpoints) / clusters);
  return {
    endpoint_config: {
      '@type': type('config.endpoint.v3.ClusterLoadAssignment'),
      cluster_name: nameOf(index),
      endpoints: [
        {
          locality: { region: 'eu-west', zone: `eu-west-1${'abc'[index % 3]}` },
          lb_endpoints: Array.from({ length: behind - first }, (_, number) => ({
            endpoint: {
              address: {
                socket_address: {
                  address: `10.${(first + number) >> 16}.${((first + number) >> 8) & 255}.${(first + number) & 255}`,
                  port_value: 8080,
                },
              },
              health_check_config: {},
            },
            health_status: (first + number) % 50 === 0 ? 'UNHEALTHY' : 'HEALTHY',
            metadata: { filter_metadata: { istio: { workload: `service-${index};v1` } } },
            load_balancing_weight: 1,
          })),
          load_balancing_weight: 1,
        },
      ],
      policy: { overprovisioning_factor: 140 },
    },
  };
}

function listenerItem(index: number): unknown {
  const name = `0.0.0.0_${8000 + index}`;
  return {
    name,
    active_state: {
      version_info: `2026-01-01T00:00:00Z/${index}`,
      listener: {
        '@type': type('config.listener.v3.Listener'),
        name,
        address: { socket_address: { address: '0.0.0.0', port_value: 8000 + index } },
        filter_chains: [
          {
            filters: [
              {
                name: 'envoy.filters.network.http_connection_manager',
                typed_config: {
                  '@type': type(
                    'extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
                  ),
                  stat_prefix: name,
                  rds: { config_source: { ads: {} }, route_config_name: `routes-${index}` },
                  http_filters: [
                    {
                      name: 'envoy.filters.http.router',
                      typed_config: { '@type': type('extensions.filters.http.router.v3.Router') },
                    },
                  ],
                },
              },
            ],
          },
        ],
      },
      last_updated: updatedAt(index),
    },
  };
}

function routesItem(index: number, { clusters, routes, routesPerConfig }: DumpSize): unknown {
  const first = index * routesPerConfig;
  const behind = Math.min(routes, first + routesPerConfig);
  return {
    version_info: `2026-01-01T00:00:00Z/${index}`,
    route_config: {
      '@type': type('config.route.v3.RouteConfiguration'),
      name: `routes-${index}`,
      virtual_hosts: Array.from({ length: behind - first }, (_, number) => {
        const cluster = nameOf(((first + number) * 2) % clusters);
        return {
          name: `host-${first + number}`,
          domains: [`host-${first + number}.example.com`, `host-${first + number}.example.com:443`],
          routes: [
            {
              match: {
                prefix: `/api/v${number % 4}/`,
                headers: [{ name: 'x-tenant', string_match: { exact: `tenant-${number}` } }],
              },
              route: {
                cluster,
                timeout: '15s',
                retry_policy: {
                  retry_on: 'connect-failure,refused-stream,unavailable,cancelled',
                  num_retries: 2,
                  retry_host_predicate: [{ name: 'envoy.retry_host_predicates.previous_hosts' }],
                  host_selection_retry_max_attempts: '5',
                },
                max_grpc_timeout: '15s',
              },
              metadata: {
                filter_metadata: {
                  istio: {
                    config: `/apis/networking.istio.io/v1/namespaces/edge/virtual-service/host-${first + number}`,
                  },
                },
              },
              decorator: { operation: `${cluster}/api/v${number % 4}/*` },
            },
          ],
        };
      }),
      validate_clusters: false,
    },
    last_updated: updatedAt(index),
  };
}
