import type { TapShown } from './schema';

/** The files where clients are expected to have their certificates; placeholders to be replaced. */
export const certificateFiles = {
  ca_certificate_file: '/etc/xds/ca.pem',
  certificate_file: '/etc/xds/client.pem',
  private_key_file: '/etc/xds/client.key',
} as const;

/**
 * The bootstrap of a gRPC client for one server (gRFC A27, A65), as JSON. It has a locality, which is optional by the
 * specification and required by @grpc/grpc-js-xds.
 */
export function buildGrpcBootstrap(
  serverUri: string,
  nodeId: string,
  security: TapShown['listenSecurity'],
): string {
  const { ca_certificate_file, ...identity } = certificateFiles;
  const creds =
    security === 'plain'
      ? { type: 'insecure' }
      : { type: 'tls', config: { ca_certificate_file, ...(security === 'mtls' && identity) } };
  const bootstrap = {
    xds_servers: [{ server_uri: serverUri, channel_creds: [creds], server_features: ['xds_v3'] }],
    node: {
      id: nodeId,
      cluster: 'my-cluster',
      locality: { region: 'my-region', zone: 'my-zone', sub_zone: '' },
    },
  };
  return JSON.stringify(bootstrap, null, 2);
}
