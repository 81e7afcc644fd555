import { before, grpcClients, profileSet, since } from '../../xds/profile';
import { CDS } from '../../xds/resource-type';
import type { Field } from '../field';
import { everyNack, grpcNack, nackBy, react } from '../reactions';
import { type CheckContext, type Report, type Rule, reportExceptFor, rulesOf } from '../rule';
import {
  checkOtherCertificates,
  checkProviders,
  checkSubjectAltNames,
  checkUnsupported,
  checkValidation,
  oldCaProviderOf,
  validationOf,
} from './common-tls';

const rule = rulesOf(CDS.typeUrl);

const upstreamTls = 'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext';
const proxy = 'envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport';

/** gRFC A86: the transport socket inside the HTTP CONNECT wrapper, or else the transport socket itself. */
function innerSocketOf(cluster: Field): Field {
  const socket = cluster.at('transportSocket');
  const config = socket.at('typedConfig');
  return config.typeName === proxy ? config.at('transportSocket') : socket;
}

/** The UpstreamTlsContext of a cluster; undefined if there is none. */
function findTls(cluster: Field): Field | undefined {
  const config = innerSocketOf(cluster).at('typedConfig');
  const isTls = config.typeName === upstreamTls && !config.isTypedStruct;
  return isTls && config.unreadable === undefined ? config : undefined;
}

function ruleOfTls(
  id: string,
  title: string,
  source: string,
  check: (common: Field, report: Report, context: CheckContext, cluster: Field) => void,
): Rule {
  return rule(id, title, source, grpcNack, (cluster, report, context) => {
    const common = findTls(cluster)?.at('commonTlsContext');
    if (common?.exists) check(common, report, context, cluster);
  });
}

/** grpc-go before 1.75 ends instead of the error about the missing config. */
const withoutConfig = react({
  NACK: ['core', ...since('go-1.75'), 'java', 'node'],
  crash: before('go-1.75'),
});

export const upstreamTlsRules: readonly Rule[] = [
  rule(
    'T1',
    'The transport socket of a cluster is supported',
    'gRFC A29: transport socket',
    grpcNack,
    (cluster, report) => {
      if (!cluster.at('transportSocket').exists) return;
      const socket = innerSocketOf(cluster);
      const config = socket.at('typedConfig');
      if (config.typeName !== upstreamTls || config.isTypedStruct)
        report({
          field: config,
          expected: upstreamTls,
          got: config.typeName || config.show(),
          reactions: cluster.in('transportSocket', 'typedConfig').exists ? grpcNack : withoutConfig,
        });
      else if (config.unreadable !== undefined)
        report({
          field: config,
          expected: 'a readable UpstreamTlsContext',
          got: config.unreadable,
          reactions: everyNack,
        });
      if (socket.at('name').text !== 'envoy.transport_sockets.tls')
        report({
          field: socket.at('name'),
          expected: '"envoy.transport_sockets.tls"',
          reactions: nackBy('go'),
        });
    },
  ),
  rule(
    'C10',
    'The proxy config of HTTP CONNECT is valid',
    'gRFC A86: HTTP CONNECT',
    grpcNack,
    (cluster, report) => {
      const config = cluster.in('transportSocket', 'typedConfig');
      if (config.typeName === proxy)
        report({
          field: config,
          expected: upstreamTls,
          got: proxy,
          note: 'Newer C-core, Java and grpc-go accept it with GRPC_EXPERIMENTAL_XDS_HTTP_CONNECT, which is off.',
        });
    },
  ),
  rule(
    'T2',
    'TLS has certificates of an authority to validate the server',
    'gRFC A29: CA certificates',
    grpcNack,
    (cluster, report) => {
      const common = findTls(cluster)?.at('commonTlsContext');
      if (common === undefined) return;
      const validation = validationOf(common);
      const field = validation.at('caCertificateProviderInstance');
      const expected = 'a CA certificate provider';
      // C-core and grpc-go treat an empty name as absent; grpc-js-xds looks it up (T6).
      if (field.exists && field.at('instanceName').text === '')
        report({ field: field.at('instanceName'), expected, reactions: nackBy('core', 'go', 'java') });
      if (field.exists) return;
      const old = oldCaProviderOf(common);
      const isSystem = validation.at('systemRootCerts').exists;
      // gRFC A82: system roots. grpc-js-xds never read the deprecated field.
      const nonReaders = grpcClients.filter((client) => !old.readers.includes(client));
      const reactions = old.field.exists
        ? nackBy(...nonReaders)
        : isSystem
          ? nackBy(...before('core-1.73'), 'go', ...before('java-1.85'), 'node')
          : grpcNack;
      report({ field, expected, reactions });
    },
  ),
  ruleOfTls('T3', 'tls_params and custom_handshaker are not set', 'gRFC A29: unsupported', checkUnsupported),
  ruleOfTls(
    'T4',
    'The validation context has no unsupported field',
    'gRFC A29: unsupported',
    checkValidation,
  ),
  ruleOfTls(
    'T5',
    'Certificates come from certificate providers, not from SDS or inline',
    'gRFC A29: no SDS, no inline certificates',
    (common, report) => checkOtherCertificates(common, 'client', report),
  ),
  ruleOfTls(
    'T6',
    'A certificate provider is in the bootstrap of the client',
    'gRFC A29: bootstrap certificate_providers',
    (common, report, context, cluster) => {
      // grpc-go before 1.82 ends for a cluster without name before it looks up the provider.
      const enders = cluster.at('name').text === '' ? before('go-1.82') : [];
      checkProviders(common, context, reportExceptFor(report, profileSet(...enders)));
    },
  ),
  ruleOfTls(
    'T7',
    'Matchers of subject alternative names are valid',
    'gRFC A29: names of the server',
    checkSubjectAltNames,
  ),
  rule(
    'T8',
    'SNI has at most 255 characters',
    'gRFC A101: SNI',
    nackBy('core-1.85', ...since('go-1.73')),
    (cluster, report) => {
      const sni = findTls(cluster)?.at('sni');
      if (sni !== undefined && sni.text.length > 255)
        report({
          field: sni,
          expected: 'at most 255 characters',
          got: String(sni.text.length),
          // Envoy: a limit of bytes that its protos state.
        });
    },
  ),
  rule(
    'T9',
    'transport_socket_matches is not set',
    'gRFC A29: transport_socket_matches',
    nackBy('go', 'java'),
    (cluster, report) => {
      const matches = cluster.at('transportSocketMatches');
      if (matches.items().length > 0) report({ field: matches, expected: 'none: only Envoy has them' });
    },
  ),
];
