import { CDS, LDS, RDS } from '../../xds/resource-type';
import { connectionManagersOf, filterChainsOf } from '../connection-managers';
import type { Field } from '../field';
import { overridesOf } from '../filters/filter-places';
import { unwrapOverride } from '../http-filters';
import { nackBy, noNacks } from '../reactions';
import { routeConfigsOf, routesOf, virtualHostsOf } from '../route/route-parts';
import type { Rule } from '../rule';
import { tlsContextsOf, transportSocketsOf } from './transport-sockets';

const source = 'Envoy: measured with 1.40.0';
const envoyNack = nackBy('envoy');

/** Conditions that depend on the build or the bootstrap of an Envoy. An Envoy that runs a resource fulfils them. */
export const envoyStateRules: readonly Rule[] = [
  {
    id: 'ENVOY-extensions',
    types: [LDS.typeUrl, RDS.typeUrl, CDS.typeUrl],
    source,
    fieldPath: '',
    reactions: envoyNack,
    check(resource, report, { typeUrl, isWithoutClient }) {
      if (isWithoutClient !== true) return;
      for (const [field, prefix = 'envoy.'] of extensionsOf(resource, typeUrl)) {
        const { typeName } = field;
        if (typeName === '' || typeName.startsWith(prefix)) continue;
        report({
          field,
          expected: 'an extension of Envoy',
          got: typeName,
          dependsOn: `The build of Envoy, which is not known here: releases have no such extension of type ${typeName}.`,
        });
      }
    },
  },
  {
    id: 'ENVOY-secrets',
    types: [LDS.typeUrl, CDS.typeUrl],
    source,
    fieldPath: 'transportSocket.typedConfig.commonTlsContext',
    reactions: envoyNack,
    check(resource, report, { typeUrl, isWithoutClient }) {
      for (const common of tlsContextsOf(resource, typeUrl)) {
        for (const secret of secretsOf(common)) {
          const name = secret.at('name').text;
          if (isWithoutClient === true && name !== '' && !secret.at('sdsConfig').exists)
            report({
              field: secret.at('sdsConfig'),
              expected: 'a config source',
              dependsOn: `The static secrets in the bootstrap of Envoy, which are not known here: ${JSON.stringify(name)} is assumed to be none of them.`,
            });
        }
        for (const certificate of common.at('tlsCertificates').items()) {
          const hasKey = ['privateKey', 'privateKeyProvider', 'pkcs12'].some(
            (name) => certificate.at(name).exists,
          );
          const chain = certificate.at('certificateChain');
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
    types: [LDS.typeUrl, CDS.typeUrl],
    source,
    fieldPath: 'edsClusterConfig.edsConfig',
    reactions: noNacks,
    check(resource, report, { typeUrl }) {
      const config = resource.in('edsClusterConfig', 'edsConfig');
      const files = tlsContextsOf(resource, typeUrl).flatMap(filesOf);
      for (const field of [config.at('path'), config.at('pathConfigSource'), ...files]) {
        if (field.exists)
          report({
            field,
            expected: 'a file that exists',
            dependsOn: "The files of Envoy's host, which are not known here: the path is assumed to exist.",
          });
      }
    },
  },
  {
    id: 'ENVOY-vhds',
    types: [RDS.typeUrl],
    source,
    fieldPath: 'vhds',
    reactions: noNacks,
    check(resource, report) {
      const field = resource.in('vhds', 'configSource', 'ads');
      if (field.exists)
        report({
          field,
          expected: 'a delta ADS stream',
          dependsOn:
            'The variant of the ADS stream of Envoy, which is not known here: with SotW it NACKs VHDS over ADS.',
        });
    },
  },
  {
    id: 'ENVOY-repeated',
    types: [LDS.typeUrl, CDS.typeUrl],
    source,
    fieldPath: 'name',
    reactions: envoyNack,
    check(resource, report, { isRepeated }) {
      const name = resource.at('name');
      if (isRepeated === true && name.text !== '')
        report({ field: name, expected: 'a name that is unique in the response' });
    },
  },
];

/** The config of an extension, and how the types begin that Envoy knows in its place: "envoy." if absent. */
type Extension = readonly [config: Field, prefix?: string];

/**
 * Network filters, HTTP filters and their overrides, transport sockets, protocol options, cluster types and cluster
 * specifier plugins.
 */
function extensionsOf(resource: Field, typeUrl: string): Extension[] {
  const chains = filterChainsOf(resource);
  const overrides = (typeUrl === CDS.typeUrl ? [] : routeConfigsOf(resource, typeUrl)).flatMap(({ field }) =>
    overridesOf(field).map((each) => unwrapOverride(each.field)),
  );
  const optional = [
    ...connectionManagersOf(resource)
      .filter(({ side }) => side === 'server')
      .flatMap(({ field }) => field.at('httpFilters').items())
      .map((item) => ({ config: item.at('typedConfig'), isOptional: item.at('isOptional').isTrue })),
    ...overrides,
  ];
  return [
    ...chains.flatMap((chain) =>
      chain
        .at('filters')
        .items()
        .map((filter): Extension => [filter.at('typedConfig')]),
    ),
    ...transportSocketsOf(resource, typeUrl).map(
      (socket): Extension => [socket.at('typedConfig'), 'envoy.extensions.transport_sockets.'],
    ),
    ...resource
      .at('typedExtensionProtocolOptions')
      .entries()
      .map(([, field]): Extension => [field]),
    [resource.in('clusterType', 'typedConfig'), 'envoy.extensions.clusters.'],
    ...pluginsOf(resource).map(
      (plugin): Extension => [
        plugin.in('extension', 'typedConfig'),
        'envoy.extensions.router.cluster_specifiers.',
      ],
    ),
    ...optional.filter(({ isOptional }) => !isOptional).map(({ config }): Extension => [config]),
  ];
}

/** Of a route configuration. */
function pluginsOf(resource: Field): Field[] {
  const inline = virtualHostsOf(resource).flatMap((host) =>
    routesOf(host).map(({ field }) => field.in('route', 'inlineClusterSpecifierPlugin')),
  );
  return [...resource.at('clusterSpecifierPlugins').items(), ...inline].filter(
    (plugin) => plugin.exists && !plugin.at('isOptional').isTrue,
  );
}

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
