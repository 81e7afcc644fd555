import { CDS, LDS, RDS } from '../../xds/resource-type';
import { missingFile } from '../common-values';
import type { Field } from '../field';
import { isIpAddress } from '../ip-address';
import { nackBy, noNacks } from '../reactions';
import type { Rule } from '../rule';
import { listenedAddressesOf } from './listener-rules';
import { tlsContextsOf } from './transport-sockets';

const source = 'Envoy: measured with 1.40.0';
const envoyNack = nackBy('envoy');

/** Conditions that depend on the build or the bootstrap of an Envoy. An Envoy that runs a resource fulfils them. */
export const envoyStateRules: readonly Rule[] = [
  {
    id: 'ENVOY-secrets',
    title: 'Secrets of TLS contexts are valid and available',
    types: [LDS.typeUrl, CDS.typeUrl],
    source,
    reactions: envoyNack,
    check(resource, report, { typeUrl, isWithoutClient }) {
      for (const common of tlsContextsOf(resource, typeUrl)) {
        for (const secret of secretsOf(common)) {
          const name = secret.at('name').text;
          if (isWithoutClient === true && name !== '' && !secret.at('sdsConfig').exists)
            report({
              field: secret.at('sdsConfig'),
              expected: 'a config source',
              dependence: {
                dependsOn: `The static secrets in the bootstrap of Envoy, which are not known here: ${JSON.stringify(name)} is assumed to be none of them.`,
                otherwise: noNacks,
              },
            });
        }
        for (const certificate of common.at('tlsCertificates').items()) {
          const hasKey = ['privateKey', 'privateKeyProvider', 'pkcs12'].some(
            (name) => certificate.at(name).exists,
          );
          const chain = certificate.at('certificateChain');
          if (typeUrl === LDS.typeUrl && !hasKey && !chain.exists)
            report({ field: chain, expected: 'a certificate' });
          if (chain.exists && !hasKey)
            report({ field: certificate.at('privateKey'), expected: 'the key of the certificate' });
          if (!chain.exists && certificate.at('privateKey').exists)
            report({ field: chain, expected: 'the certificate of the key' });
        }
      }
    },
  },
  {
    id: 'ENVOY-files',
    title: 'Files of config sources exist',
    types: [LDS.typeUrl, CDS.typeUrl],
    source,
    reactions: noNacks,
    check(resource, report, { typeUrl }) {
      const config = resource.in('edsClusterConfig', 'edsConfig');
      const files = tlsContextsOf(resource, typeUrl).flatMap(filesOf);
      for (const field of [config.at('path'), config.at('pathConfigSource'), ...files]) {
        if (field.exists) report({ field, expected: 'a file that exists', dependence: missingFile });
      }
    },
  },
  {
    id: 'ENVOY-bind-address',
    title: 'The machine of Envoy has the address of a listener',
    types: [LDS.typeUrl],
    source,
    reactions: noNacks,
    check(listener, report, { isWithoutClient }) {
      const bind = listener.at('bindToPort');
      const isBound = !listener.at('freebind').isTrue && (!bind.exists || bind.isTrue);
      if (isWithoutClient !== true || !isBound) return;
      for (const { field } of listenedAddressesOf(listener)) {
        const address = field.at('address');
        if (/^(?:127\.|0\.0\.0\.0$|::1?$)/.test(address.text) || !isIpAddress(address.text)) continue;
        report({
          field: address,
          expected: 'an address of the machine of Envoy',
          dependence: {
            dependsOn: `The addresses of the machine of Envoy, which are not known here: ${address.text} is assumed to be one of them.`,
            otherwise: envoyNack,
          },
        });
      }
    },
  },
  {
    id: 'ENVOY-vhds',
    title: 'VHDS uses a delta ADS stream',
    types: [RDS.typeUrl],
    source,
    reactions: noNacks,
    check(resource, report) {
      const field = resource.in('vhds', 'configSource', 'ads');
      if (field.exists)
        report({
          field,
          expected: 'a delta ADS stream',
          dependence: {
            dependsOn:
              'The variant of the ADS stream of Envoy, which is not known here: with SotW it NACKs VHDS over ADS.',
            otherwise: envoyNack,
          },
        });
    },
  },
  {
    id: 'ENVOY-repeated',
    title: 'A name occurs once in a response',
    types: [LDS.typeUrl, CDS.typeUrl],
    source,
    reactions: envoyNack,
    check(resource, report, { isRepeated }) {
      const name = resource.at('name');
      if (isRepeated === true && name.text !== '')
        report({ field: name, expected: 'a name that is unique in the response' });
    },
  },
];

function filesOf(common: Field): Field[] {
  const certificates = common.at('tlsCertificates').items();
  const sources = [
    ...['trustedCa', 'crl'].map((name) => common.in('validationContext', name)),
    ...certificates.flatMap((each) => [each.at('certificateChain'), each.at('privateKey')]),
  ];
  return [...sources.map((each) => each.at('filename')), common.in('keyLog', 'path')];
}

function secretsOf(common: Field): Field[] {
  return [
    ...common.at('tlsCertificateSdsSecretConfigs').items(),
    common.at('validationContextSdsSecretConfig'),
    common.in('combinedValidationContext', 'validationContextSdsSecretConfig'),
  ].filter((secret) => secret.exists);
}
