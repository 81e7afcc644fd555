import { CDS, LDS, RDS } from '../../xds/resource-type';
import { connectionManager } from '../connection-managers';
import { Field } from '../field';
import { overridesOf } from '../filters/filter-places';
import { unwrapOverride } from '../http-filters';
import { nackBy, noNacks } from '../reactions';
import { routeConfigsOf } from '../route/route-parts';
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
        // Envoy does not find an extension by its name alone.
        const isByName = typeName === '';
        if (isByName ? name === undefined : prefixes.some((each) => typeName.startsWith(each))) continue;
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
    id: 'ENVOY-v2',
    title: 'Every extension has a v3 type',
    types: [LDS.typeUrl, RDS.typeUrl, CDS.typeUrl],
    source,
    reactions: nackBy('envoy'),
    check(resource, report, { typeUrl: ofResource, v2Parts = [] }) {
      if (resource.at('apiListener').exists || v2Parts.length === 0) return;
      const optional = new Set(
        routeConfigsOf(resource, ofResource)
          .flatMap(({ field }) => overridesOf(field).map((each) => unwrapOverride(each.field)))
          .filter(({ isOptional }) => isOptional)
          .map(({ config }) => config.path),
      );
      for (const { path, typeUrl } of v2Parts.filter((part) => !optional.has(part.path)))
        report({ field: new Field(typeUrl, undefined, path), expected: 'a v3 type', got: typeUrl });
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
