import { ads, any, socket } from './case';

const http2 = {
  'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
    ...any('envoy.extensions.upstreams.http.v3.HttpProtocolOptions'),
    explicitHttpConfig: { http2ProtocolOptions: {} },
  },
};

/** An Envoy with one subscription of each type: EDS "endpoints", RDS "routes", SDS "certificate" and "authority". */
export function bootstrapOf(server: string, adminPort: number): object {
  const assigned = (name: string, port: number) => ({
    clusterName: name,
    endpoints: [{ lbEndpoints: [{ endpoint: { address: socket('127.0.0.1', port) } }] }],
  });
  const manager = any('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', {
    statPrefix: 'static',
    rds: { routeConfigName: 'routes', configSource: ads },
    httpFilters: [{ name: 'router', typedConfig: any('envoy.extensions.filters.http.router.v3.Router') }],
  });
  // Envoy starts without secrets.
  const secrets = { ...ads, initialFetchTimeout: '0.5s' };
  const tls = any('envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext', {
    commonTlsContext: {
      tlsCertificateSdsSecretConfigs: [{ name: 'certificate', sdsConfig: secrets }],
      validationContextSdsSecretConfig: { name: 'authority', sdsConfig: secrets },
    },
  });
  return {
    node: { id: 'nack-texts', cluster: 'peers' },
    admin: { address: socket('127.0.0.1', adminPort) },
    dynamicResources: {
      adsConfig: {
        apiType: 'GRPC',
        transportApiVersion: 'V3',
        grpcServices: [{ envoyGrpc: { clusterName: 'management-server' } }],
      },
      ldsConfig: ads,
      cdsConfig: ads,
    },
    staticResources: {
      clusters: [
        {
          name: 'management-server',
          type: 'STATIC',
          connectTimeout: '1s',
          typedExtensionProtocolOptions: http2,
          loadAssignment: assigned('management-server', Number(server.split(':')[1])),
        },
        { name: 'plain', type: 'STATIC', loadAssignment: assigned('plain', 9) },
        { name: 'endpoints', type: 'EDS', edsClusterConfig: { edsConfig: ads } },
      ],
      listeners: [
        {
          name: 'static',
          address: socket('127.0.0.1', 0),
          filterChains: [{ filters: [{ name: 'http', typedConfig: manager }] }],
        },
        {
          name: 'secure',
          address: socket('127.0.0.1', 0),
          filterChains: [
            {
              filters: [{ name: 'http', typedConfig: manager }],
              transportSocket: { name: 'tls', typedConfig: tls },
            },
          ],
        },
      ],
    },
  };
}
