import { CDS } from '../xds/resource-type';
import type { Field } from './field';
import { allNack, nackBy } from './profile';
import type { Breach, Rule, RuleContext } from './rule';

type Report = (breach: Breach) => void;

const upstreamTls = 'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext';

/** The UpstreamTlsContext of a cluster; undefined when there is none. */
function findTls(cluster: Field): Field | undefined {
  const config = cluster.in('transportSocket', 'typedConfig');
  return config.typeName === upstreamTls && config.unreadable === undefined ? config : undefined;
}

/** The CertificateValidationContext, found in either of the two places that gRPC reads. */
function validationOf(common: Field): Field {
  const combined = common.at('combinedValidationContext');
  return combined.exists ? combined.at('defaultValidationContext') : common.at('validationContext');
}

function rule(
  id: string,
  source: string,
  fieldPath: string,
  reactions: Rule['reactions'],
  check: (cluster: Field, report: Report, context: RuleContext) => void,
): Rule {
  return { id, types: [CDS.typeUrl], source, fieldPath, reactions, check };
}

export const tlsRules: readonly Rule[] = [
  rule('T1', 'gRFC A29: transport socket', 'transportSocket.typedConfig', allNack, (cluster, report) => {
    const socket = cluster.at('transportSocket');
    if (!socket.exists) return;
    const config = socket.at('typedConfig');
    if (config.typeName !== upstreamTls)
      report({ field: config, expected: upstreamTls, got: config.typeName || config.show() });
    else if (config.unreadable !== undefined)
      report({ field: config, expected: 'a readable UpstreamTlsContext', got: config.unreadable });
    if (socket.at('name').text !== 'envoy.transport_sockets.tls')
      report({
        field: socket.at('name'),
        expected: '"envoy.transport_sockets.tls"',
        reactions: nackBy('go'),
      });
  }),
  rule(
    'T2',
    'gRFC A29: CA certificates',
    'transportSocket.typedConfig.commonTlsContext',
    allNack,
    (cluster, report) => {
      const common = findTls(cluster)?.at('commonTlsContext');
      if (common === undefined) return;
      const validation = validationOf(common);
      if (validation.at('caCertificateProviderInstance').exists) return;
      const isOld =
        common.at('validationContextCertificateProviderInstance').exists ||
        common.in('combinedValidationContext', 'validationContextCertificateProviderInstance').exists;
      const field = validation.at('caCertificateProviderInstance');
      const isSystem = validation.at('systemRootCerts').exists;
      // gRFC A82 (system roots) is newer than the measured clients; grpc-js-xds never read the deprecated field.
      const reactions = isOld ? nackBy('node') : isSystem ? nackBy('core', 'go', 'node') : allNack;
      report({ field, expected: 'a CA certificate provider', reactions });
    },
  ),
  rule(
    'T3',
    'gRFC A29: unsupported',
    'commonTlsContext.{tlsParams,customHandshaker}',
    allNack,
    (cluster, report) => {
      const common = findTls(cluster)?.at('commonTlsContext');
      for (const name of ['tlsParams', 'customHandshaker']) {
        if (common?.at(name).exists)
          report({ field: common.at(name), expected: 'nothing: it is not supported' });
      }
    },
  ),
  rule('T4', 'gRFC A29: unsupported', 'commonTlsContext.validationContext', allNack, (cluster, report) => {
    const tls = findTls(cluster);
    if (tls === undefined) return;
    const validation = validationOf(tls.at('commonTlsContext'));
    for (const name of ['verifyCertificateSpki', 'verifyCertificateHash', 'crl', 'customValidatorConfig']) {
      const field = validation.at(name);
      if (field.exists) report({ field, expected: 'nothing: it is not supported' });
    }
    const timestamp = validation.at('requireSignedCertificateTimestamp');
    if (timestamp.isTrue) report({ field: timestamp, expected: 'false: it is not supported' });
  }),
  rule('T5', 'gRFC A29: no SDS, no inline certificates', 'commonTlsContext', allNack, (cluster, report) => {
    const common = findTls(cluster)?.at('commonTlsContext');
    if (common === undefined) return;
    const sds = common.at('validationContextSdsSecretConfig');
    if (sds.exists) report({ field: sds, expected: 'a provider instance: SDS is not supported' });
    if (common.at('tlsCertificateProviderInstance').exists) return;
    for (const name of ['tlsCertificates', 'tlsCertificateSdsSecretConfigs']) {
      if (common.at(name).exists)
        report({ field: common.at(name), expected: 'a provider instance in its place' });
    }
  }),
  rule(
    'T6',
    'gRFC A29: bootstrap certificate_providers',
    'instanceName',
    allNack,
    (cluster, report, context) => {
      const common = findTls(cluster)?.at('commonTlsContext');
      const known = context.certificateProviders;
      if (common === undefined || known === undefined) return;
      for (const provider of [
        common.at('tlsCertificateProviderInstance'),
        validationOf(common).at('caCertificateProviderInstance'),
      ]) {
        const name = provider.at('instanceName');
        if (provider.exists && !known.has(name.text))
          report({
            field: name,
            expected: `a provider of the bootstrap (${[...known].join(', ') || 'it has none'})`,
          });
      }
    },
  ),
  rule('T8', 'gRFC A101: SNI', 'transportSocket.typedConfig.sni', nackBy('java'), (cluster, report) => {
    const sni = findTls(cluster)?.at('sni');
    if (sni !== undefined && sni.text.length > 255)
      report({ field: sni, expected: 'at most 255 characters', got: String(sni.text.length) });
  }),
  rule(
    'T9',
    'gRFC A29: transport_socket_matches',
    'transportSocketMatches',
    nackBy('go', 'java'),
    (cluster, report) => {
      const matches = cluster.at('transportSocketMatches');
      if (matches.items().length > 0) report({ field: matches, expected: 'none: only Envoy has them' });
    },
  ),
];
