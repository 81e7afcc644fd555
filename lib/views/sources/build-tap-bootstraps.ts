import { buildGrpcBootstrap, certificateFiles as files } from './build-grpc-bootstrap';
import type { TapShown } from './schema';

export interface TapBootstrap {
  /** The client, as in "Go". */
  readonly client: string;
  readonly format: 'json' | 'yaml';
  readonly text: string;
  /** The place of the bootstrap, with notes. */
  readonly note: string;
}

type Tap = Pick<TapShown, 'address' | 'listen' | 'listenSecurity'>;

/** One bootstrap for each kind of client. `hostName` replaces an unspecified listening address. */
export function buildTapBootstraps(tap: Tap, hostName: string): readonly TapBootstrap[] {
  const { host, port } = reachable(tap.address ?? tap.listen, hostName);
  const serverUri = `${host}:${port}`;
  const keep = 'In an existing bootstrap, change only server_uri and channel_creds.';
  const json = buildGrpcBootstrap(serverUri, 'my-client', tap.listenSecurity);
  const isPlain = tap.listenSecurity === 'plain';
  const tlsNote = isPlain
    ? ''
    : ' Credentials of type "tls" are gRFC A65: C-core 1.51 and older reject them.';
  const nodeNote = isPlain
    ? ''
    : ' Version 1.14 rejects credentials of type "tls": use a tap that listens without TLS.';
  return [
    {
      client: 'C-core, Python, C++',
      format: 'json',
      text: json,
      note: `A file that GRPC_XDS_BOOTSTRAP names, before the process starts. ${keep}${tlsNote}`,
    },
    {
      client: 'Go',
      format: 'json',
      text: json,
      note: `A file that GRPC_XDS_BOOTSTRAP names, or the JSON itself in GRPC_XDS_BOOTSTRAP_CONFIG. ${keep}`,
    },
    {
      client: 'Java',
      format: 'json',
      text: json,
      note: `A file that GRPC_XDS_BOOTSTRAP or -Dio.grpc.xds.bootstrap names. ${keep}`,
    },
    {
      client: 'Node',
      format: 'json',
      text: json,
      note: `A file that GRPC_XDS_BOOTSTRAP names; @grpc/grpc-js-xds requires the locality of the node. ${keep}${nodeNote}`,
    },
    {
      client: 'Envoy',
      format: 'yaml',
      text: envoyBootstrap(host, port, tap.listenSecurity),
      note: 'In an existing bootstrap, change only the address of the cluster that ads_config names.',
    },
    {
      client: 'Istio',
      format: 'yaml',
      text: istioAnnotation(serverUri, tap.listenSecurity),
      note:
        tap.listenSecurity === 'plain'
          ? "An annotation of the pod: its agent connects to the tap, in plain text; the tap's upstream has to be port 15010 of istiod."
          : "An annotation of the pod: its agent connects to the tap, and requires a certificate of istiod's authority for that name; the tap's upstream has to be port 15012 of istiod.",
    },
  ];
}

/** A tap may listen on all addresses (0.0.0.0 or ::), to which clients cannot connect. */
function reachable(address: string, hostName: string): { readonly host: string; readonly port: string } {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon);
  return { host: host === '0.0.0.0' || host === '[::]' ? hostName : host, port: address.slice(colon + 1) };
}

function envoyBootstrap(host: string, port: string, security: Tap['listenSecurity']): string {
  const bare = host.replace(/^\[|\]$/g, '');
  const lines = [
    'node: { id: my-envoy, cluster: my-cluster }',
    'dynamic_resources:',
    '  ads_config:',
    '    api_type: GRPC',
    '    transport_api_version: V3',
    '    grpc_services: [{ envoy_grpc: { cluster_name: xds_tap } }]',
    '  cds_config: { ads: {}, resource_api_version: V3 }',
    '  lds_config: { ads: {}, resource_api_version: V3 }',
    'static_resources:',
    '  clusters:',
    '  - name: xds_tap',
    `    type: ${/^[\d.]+$|:/.test(bare) ? 'STATIC' : 'STRICT_DNS'}`,
    '    connect_timeout: 5s',
    '    typed_extension_protocol_options:',
    '      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:',
    '        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
    '        explicit_http_config: { http2_protocol_options: {} }',
    '    load_assignment:',
    '      cluster_name: xds_tap',
    '      endpoints:',
    '      - lb_endpoints:',
    `        - endpoint: { address: { socket_address: { address: ${JSON.stringify(bare)}, port_value: ${port} } } }`,
  ];
  return [...lines, ...(security === 'plain' ? [] : envoyTls(security))].join('\n');
}

function envoyTls(security: 'tls' | 'mtls'): string[] {
  return [
    '    transport_socket:',
    '      name: envoy.transport_sockets.tls',
    '      typed_config:',
    '        "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
    '        common_tls_context:',
    `          validation_context: { trusted_ca: { filename: ${files.ca_certificate_file} } }`,
    ...(security === 'mtls'
      ? [
          '          tls_certificates:',
          `          - certificate_chain: { filename: ${files.certificate_file} }`,
          `            private_key: { filename: ${files.private_key_file} }`,
        ]
      : []),
  ];
}

function istioAnnotation(serverUri: string, security: Tap['listenSecurity']): string {
  return [
    'metadata:',
    '  annotations:',
    '    proxy.istio.io/config: |',
    `      discoveryAddress: ${JSON.stringify(serverUri)}`,
    ...(security === 'plain' ? ['      controlPlaneAuthPolicy: NONE'] : []),
  ].join('\n');
}
