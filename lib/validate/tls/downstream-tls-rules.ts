import { profilesOf, since } from '../../xds/profile';
import { LDS } from '../../xds/resource-type';
import { chainsDroppedByGo, filterChainsOf, skippersOfChains } from '../connection-managers';
import type { Field } from '../field';
import { grpcNack, nackBy } from '../reactions';
import { type CheckContext, type Report, type Rule, reportExceptFor, rulesOf } from '../rule';
import {
  checkOtherCertificates,
  checkProviders,
  checkSubjectAltNames,
  checkUnsupported,
  checkValidation,
  identityOf,
  oldCaProviderOf,
  validationOf,
} from './common-tls';

const rule = rulesOf(LDS.typeUrl);

const downstreamTls = 'envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext';

/** Rule S8, and the T-rules on the server side. */
export const downstreamTlsRules: readonly Rule[] = [
  rule(
    'S8',
    'The TLS config of a server is supported',
    'gRFC A29, A36: TLS of a server',
    grpcNack,
    (listener, report, context) => {
      const dropped = chainsDroppedByGo(listener);
      for (const chain of filterChainsOf(listener)) {
        const socket = chain.at('transportSocket');
        const skippers = new Set([
          ...skippersOfChains(listener),
          ...(dropped.has(chain.value) ? profilesOf('go') : []),
        ]);
        if (socket.exists) checkSocket(socket, reportExceptFor(report, skippers), context);
      }
    },
  ),
];

function checkSocket(socket: Field, report: Report, context: CheckContext): void {
  const name = socket.at('name');
  const config = socket.at('typedConfig');
  if (name.text !== 'envoy.transport_sockets.tls')
    report({ field: name, expected: '"envoy.transport_sockets.tls"', reactions: nackBy('go', 'node') });
  if (config.typeName !== downstreamTls || config.isTypedStruct) {
    report({ field: config, expected: downstreamTls, got: config.typeName || config.show() });
    return;
  }
  if (config.unreadable !== undefined) {
    report({ field: config, expected: 'a readable DownstreamTlsContext', got: config.unreadable });
    return;
  }
  const sni = config.at('requireSni');
  const ocsp = config.at('ocspStaplePolicy');
  if (sni.isTrue) report({ field: sni, expected: 'false: it is not supported' });
  if (ocsp.exists && ocsp.text !== 'LENIENT_STAPLING') report({ field: ocsp, expected: 'LENIENT_STAPLING' });
  checkServerContext(config, report, context);
}

function checkServerContext(config: Field, report: Report, context: CheckContext): void {
  const common = config.at('commonTlsContext');
  const validation = validationOf(common);
  const current = validation.at('caCertificateProviderInstance');
  const old = oldCaProviderOf(common);
  const validates = ['core', 'go', 'java'] as const;
  const withoutCa = current.exists
    ? []
    : validates.filter((profile) => !(old.field.exists && old.readers.includes(profile)));
  const identity = identityOf(common);
  if (!identity.exists || identity.at('instanceName').text === '')
    report({
      field: common.at('tlsCertificateProviderInstance'),
      expected: 'a provider of the certificate of the server',
    });
  else if (!common.at('tlsCertificateProviderInstance').exists)
    report({
      field: identity,
      expected: 'tlsCertificateProviderInstance: this field is deprecated',
      reactions: nackBy('node'),
    });
  const required = config.at('requireClientCertificate');
  // grpc-js-xds requires a validation context whatever the value of the field.
  if (required.isTrue && withoutCa.length > 0)
    report({
      field: required,
      expected: 'false, because there is no CA provider',
      reactions: nackBy(...withoutCa),
    });
  if (required.exists && !validation.exists)
    report({ field: required, expected: 'a validation context beside it', reactions: nackBy('node') });
  if (validation.at('systemRootCerts').exists)
    report({
      field: validation.at('systemRootCerts'),
      expected: 'nothing: servers do not have them',
      reactions: nackBy(...since('core-1.56'), 'java'),
    });
  const isCombinedOld =
    common.at('combinedValidationContext').exists && !common.at('tlsCertificateProviderInstance').exists;
  if (validation.exists && !current.exists && !isCombinedOld)
    report({
      field: validation.at('caCertificateProviderInstance'),
      expected: 'a CA certificate provider in the validation context',
      reactions: nackBy('go'),
    });
  const names = validation.at('matchSubjectAltNames');
  if (names.items().length > 0)
    report({
      field: names,
      expected: 'none: servers do not have them',
      reactions: nackBy('core', 'go', 'java'),
    });
  const direct = common.at('validationContextCertificateProviderInstance');
  if (direct.exists)
    report({
      field: direct,
      expected: 'validationContext: this field is deprecated',
      reactions: nackBy('node'),
    });
  checkUnsupported(common, report);
  checkValidation(common, report);
  checkOtherCertificates(common, 'server', report);
  checkProviders(common, context, report);
  checkSubjectAltNames(common, report);
}
