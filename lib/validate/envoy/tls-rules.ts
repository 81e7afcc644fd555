import { CDS, LDS } from '../../xds/resource-type';
import type { Field } from '../field';
import { nackBy } from '../reactions';
import type { Report, Rule } from '../rule';
import { tlsContextsOf, transportSocketsOf } from './transport-sockets';

const source = 'Envoy: measured with 1.40.0';
const types = [LDS.typeUrl, CDS.typeUrl];
const reactions = nackBy('envoy');
const tls = 'envoy.extensions.transport_sockets.tls.v3';

/** Conditions on transport sockets that Envoy rejects and that are no constraints of the protos. */
export const envoyTlsRules: readonly Rule[] = [
  {
    ...{
      id: 'ENVOY-sockets',
      title: 'A transport socket is valid',
      types,
      source,
      reactions,
    },
    check(resource, report, { typeUrl }) {
      if (resource.at('apiListener').exists) return;
      const other = `${tls}.${typeUrl === CDS.typeUrl ? 'Downstream' : 'Upstream'}TlsContext`;
      const sockets = transportSocketsOf(resource, typeUrl);
      for (const config of sockets.map((socket) => socket.at('typedConfig'))) {
        const isUpstream = typeUrl === LDS.typeUrl && config.typeName.endsWith('UpstreamTransport');
        if (config.typeName === '' || config.typeName === other || isUpstream)
          report({ field: config, expected: 'the config of a transport socket of this side' });
      }
      for (const match of resource.at('transportSocketMatches').items())
        if (!match.at('transportSocket').exists)
          report({ field: match.at('transportSocket'), expected: 'a transport socket' });
    },
  },
  {
    ...{
      id: 'ENVOY-trust',
      title: 'The trusted certificates of a validation context are valid',
      types,
      source,
      reactions,
    },
    check(resource, report, { typeUrl }) {
      if (resource.at('apiListener').exists) return;
      for (const common of tlsContextsOf(resource, typeUrl)) {
        const validation = common.at('validationContext');
        checkTrust(validation, report);
        checkDigests(validation, report);
      }
    },
  },
];

/** A custom validator has conditions of its own. */
function checkTrust(validation: Field, report: Report): void {
  if (validation.at('trustedCa').exists || validation.at('customValidatorConfig').exists) return;
  for (const name of ['matchTypedSubjectAltNames', 'matchSubjectAltNames']) {
    const names = validation.at(name);
    if (names.items().length > 0) report({ field: names, expected: 'none without trustedCa' });
  }
  const expired = validation.at('allowExpiredCertificate');
  if (expired.isTrue) report({ field: expired, expected: 'false without trustedCa' });
}

/** Other lengths violate constraints of the protos. */
function checkDigests(validation: Field, report: Report): void {
  for (const item of validation.at('verifyCertificateSpki').items())
    if (item.text.length === 44 && !/^[A-Za-z0-9+/]{43}=$/.test(item.text))
      report({ field: item, expected: 'a SHA-256 in base64' });
  for (const item of validation.at('verifyCertificateHash').items()) {
    const isHex = /^(?:[0-9a-f]{64}|(?:[0-9a-f]{2}:){31}[0-9a-f]{2})$/i.test(item.text);
    if (item.text.length >= 64 && item.text.length <= 95 && !isHex)
      report({ field: item, expected: 'a SHA-256 in hexadecimal' });
  }
}
