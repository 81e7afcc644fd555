const type = (name: string): string => `type.googleapis.com/${name}`;

/** A config dump of an Envoy in an Istio mesh: clusters, their endpoints, and a listener for each fourth cluster. */
export function bigDump(clusterCount: number): Buffer {
  const names = Array.from(
    { length: clusterCount },
    (_, index) => `outbound|8080|v${index % 3}|service-${index}.team-${index % 50}.svc.cluster.local`,
  );
  const lastUpdated = '2026-01-02T03:04:05.678Z';
  return Buffer.from(
    JSON.stringify({
      configs: [
        {
          '@type': type('envoy.admin.v3.ClustersConfigDump'),
          dynamicActiveClusters: names.map((name) => ({
            versionInfo: '2026-01-02T03:04:05Z/17',
            cluster: clusterOf(name),
            lastUpdated,
          })),
        },
        {
          '@type': type('envoy.admin.v3.EndpointsConfigDump'),
          dynamicEndpointConfigs: names.map((name, index) => ({ endpointConfig: endpointsOf(name, index) })),
        },
        {
          '@type': type('envoy.admin.v3.ListenersConfigDump'),
          dynamicListeners: names
            .filter((_, index) => index % 4 === 0)
            .map((name, index) => ({
              name: `10.0.${index % 200}.${index % 250}_8080`,
              activeState: { versionInfo: '1', listener: listenerOf(name, index), lastUpdated },
            })),
        },
      ],
    }),
  );
}

function clusterOf(name: string): object {
  const secret = (secretName: string): object => ({
    name: secretName,
    sdsConfig: {
      apiConfigSource: { apiType: 'GRPC', grpcServices: [{ envoyGrpc: { clusterName: 'sds-grpc' } }] },
    },
  });
  return {
    '@type': type('envoy.config.cluster.v3.Cluster'),
    ...{ name, type: 'EDS', connectTimeout: '10s', lbPolicy: 'LEAST_REQUEST' },
    edsClusterConfig: { edsConfig: { ads: {} }, serviceName: name },
    metadata: { filterMetadata: { istio: { services: [{ host: name, name, namespace: 'default' }] } } },
    transportSocket: {
      name: 'envoy.transport_sockets.tls',
      typedConfig: {
        '@type': type('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext'),
        commonTlsContext: {
          tlsCertificateSdsSecretConfigs: [secret('default')],
          combinedValidationContext: {
            defaultValidationContext: {
              matchTypedSubjectAltNames: [
                { sanType: 'URI', matcher: { exact: `spiffe://cluster.local/ns/default/sa/${name}` } },
              ],
            },
            validationContextSdsSecretConfig: secret('ROOTCA'),
          },
          alpnProtocols: ['istio-peer-exchange', 'istio', 'h2'],
        },
        sni: name,
      },
    },
  };
}

function endpointsOf(clusterName: string, index: number): object {
  return {
    '@type': type('envoy.config.endpoint.v3.ClusterLoadAssignment'),
    clusterName,
    endpoints: [
      {
        locality: { region: 'eu-central-1', zone: 'eu-central-1a' },
        lbEndpoints: Array.from({ length: 1 + (index % 8) }, (_, host) => ({
          endpoint: {
            address: { socketAddress: { address: `10.1.${index % 250}.${host}`, portValue: 8080 } },
          },
          healthStatus: 'HEALTHY',
          metadata: { filterMetadata: { 'envoy.transport_socket_match': { tlsMode: 'istio' } } },
        })),
      },
    ],
  };
}

function listenerOf(name: string, index: number): object {
  return {
    '@type': type('envoy.config.listener.v3.Listener'),
    name: `10.0.${index % 200}.${index % 250}_8080`,
    address: { socketAddress: { address: `10.0.${index % 200}.${index % 250}`, portValue: 8080 } },
    filterChains: [
      {
        filters: [
          {
            name: 'envoy.filters.network.http_connection_manager',
            typedConfig: {
              '@type': type(
                'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
              ),
              statPrefix: name,
              rds: { configSource: { ads: {} }, routeConfigName: name },
              httpFilters: [
                {
                  name: 'envoy.filters.http.router',
                  typedConfig: { '@type': type('envoy.extensions.filters.http.router.v3.Router') },
                },
              ],
            },
          },
        ],
      },
    ],
  };
}
