import { TestAuthority } from '../test-certificates';

const type = (name: string): string => `type.googleapis.com/envoy.${name}`;
const day = 86_400_000;

/**
 * An answer of Envoy to /config_dump?include_eds with small resources: `clusters` of EDS with two endpoints each in two
 * zones, of which every fiftieth is unhealthy; one listener with a route to each hundredth cluster; one certificate.
 */
export function makeMeshDump(clusters: number): string {
  const names = Array.from(
    { length: clusters },
    (_, index) => `outbound|8080||service-${index}.mesh.svc.cluster.local`,
  );
  const version = { version_info: '7' };
  const configs = [
    {
      '@type': type('admin.v3.BootstrapConfigDump'),
      bootstrap: { node: { id: 'gateway-0', cluster: 'gateway', user_agent_name: 'envoy' } },
    },
    {
      '@type': type('admin.v3.ClustersConfigDump'),
      dynamic_active_clusters: names.map((name) => ({
        ...version,
        cluster: {
          ...{ '@type': type('config.cluster.v3.Cluster'), name, type: 'EDS' },
          eds_cluster_config: { eds_config: { ads: {} } },
        },
      })),
    },
    {
      '@type': type('admin.v3.EndpointsConfigDump'),
      dynamic_endpoint_configs: names.map((name, index) => ({ endpoint_config: endpointsOf(name, index) })),
    },
    {
      '@type': type('admin.v3.ListenersConfigDump'),
      dynamic_listeners: [{ name: 'ingress', active_state: { ...version, listener } }],
    },
    {
      '@type': type('admin.v3.RoutesConfigDump'),
      dynamic_route_configs: [{ ...version, route_config: routesTo(names) }],
    },
    {
      '@type': type('admin.v3.SecretsConfigDump'),
      dynamic_active_secrets: [{ name: 'ingress', secret: secret() }],
    },
  ];
  return JSON.stringify({ configs });
}

function endpointsOf(name: string, index: number): unknown {
  const localities = ['a', 'b'].map((zone, at) => ({
    locality: { region: 'eu', zone: `eu-${zone}` },
    load_balancing_weight: 1,
    priority: at,
    lb_endpoints: [
      {
        endpoint: {
          address: {
            socket_address: { address: `10.${at}.${index >> 8}.${index & 255}`, port_value: 8080 },
          },
        },
        health_status: index % 50 === 0 && at === 0 ? 'UNHEALTHY' : 'HEALTHY',
      },
    ],
  }));
  return {
    '@type': type('config.endpoint.v3.ClusterLoadAssignment'),
    ...{ cluster_name: name, endpoints: localities },
  };
}

const listener = {
  '@type': type('config.listener.v3.Listener'),
  name: 'ingress',
  address: { socket_address: { address: '0.0.0.0', port_value: 8080 } },
  filter_chains: [
    {
      filters: [
        {
          name: 'envoy.filters.network.http_connection_manager',
          typed_config: {
            '@type': type('extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'),
            stat_prefix: 'ingress',
            rds: { config_source: { ads: {} }, route_config_name: 'ingress' },
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
};

function routesTo(names: readonly string[]): unknown {
  return {
    '@type': type('config.route.v3.RouteConfiguration'),
    name: 'ingress',
    virtual_hosts: [
      {
        name: 'all',
        domains: ['*'],
        routes: names
          .filter((_, index) => index % 100 === 76)
          .map((cluster, index) => ({ match: { prefix: `/${index}/` }, route: { cluster } })),
      },
    ],
  };
}

function secret(): unknown {
  const { certificate, key } = new TestAuthority().issue({
    dns: 'ingress.example',
    notAfter: new Date(Date.now() + 5 * day),
  });
  return {
    '@type': type('extensions.transport_sockets.tls.v3.Secret'),
    name: 'ingress',
    tls_certificate: {
      certificate_chain: { inline_string: certificate },
      private_key: { inline_string: key },
    },
  };
}
