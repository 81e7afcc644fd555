import { CDS, LDS, RDS } from '../../xds/resource-type';
import { connectionManager } from '../connection-managers';
import type { Field } from '../field';
import { nackBy, noNacks } from '../reactions';
import type { Rule } from '../rule';
import { extensionsOf } from './extensions';

const source = 'Envoy: measured with 1.40.0';

/** The build of an Envoy decides which extensions it has. An Envoy that runs a resource has those of the resource. */
export const envoyExtensionRules: readonly Rule[] = [
  {
    id: 'ENVOY-extensions',
    title: 'Every extension is part of the Envoy release',
    types: [LDS.typeUrl, RDS.typeUrl, CDS.typeUrl],
    source,
    reactions: nackBy('envoy'),
    check(resource, report, { typeUrl, isWithoutClient }) {
      if (isWithoutClient !== true) return;
      for (const { config, name, prefixes } of extensionsOf(resource, typeUrl)) {
        const { typeName } = config;
        // Envoy finds a config without type by the name of the extension.
        const known = typeName === '' ? name : typeName;
        if (
          known === undefined ||
          (typeName === '' ? ['envoy.'] : prefixes).some((each) => known.startsWith(each))
        )
          continue;
        report({
          field: config,
          expected: 'an extension of Envoy',
          got: typeName || JSON.stringify(name),
          dependence: {
            dependsOn: `The build of Envoy, which is not known here: releases have no such extension ${typeName === '' ? `with the name ${JSON.stringify(name)}` : `of type ${typeName}`}.`,
            otherwise: noNacks,
          },
        });
      }
    },
  },
  {
    id: 'ENVOY-config',
    title: 'The config of an extension can be decoded',
    types: [LDS.typeUrl],
    source,
    reactions: nackBy('envoy'),
    check(resource, report, { typeUrl }) {
      for (const { config } of extensionsOf(resource, typeUrl)) {
        if (config.unreadable !== undefined && !isOfOtherRule(config))
          report({ field: config, expected: `a readable ${config.typeName}`, got: config.unreadable });
      }
    },
  },
];

/** S4 and L10 are about these configs. */
function isOfOtherRule(config: Field): boolean {
  return config.typeName === connectionManager || /\.httpFilters\[\d+\]\.typedConfig$/.test(config.path);
}
