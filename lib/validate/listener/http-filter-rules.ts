import {
  clientOf,
  grpcClients,
  grpcProfiles,
  type Profile,
  profiles,
  profilesOf,
  since,
} from '../../xds/profile';
import type { Field } from '../field';
import { checkExtensionType } from '../filters/extension-type';
import { isKnown, isSupported, readsConfig, router, type Side, typeSeenBy } from '../http-filters';
import { nackBy } from '../reactions';
import type { Rule } from '../rule';
import { ruleOfManager } from './connection-manager-rules';

function itemsOf(manager: Field): Field[] {
  return manager.at('httpFilters').items();
}

/**
 * Filters that the client keeps: it drops optional filters that it does not support. grpc-js-xds keeps those; grpc-java drops them
 * after it has counted them.
 */
function keptBy(profile: Profile, manager: Field, side: Side): Field[] {
  return itemsOf(manager).filter(
    (item) =>
      ['node', 'java'].includes(clientOf(profile)) ||
      !item.at('isOptional').isTrue ||
      isSupported(typeSeenBy(profile, item.at('typedConfig')), side, profile),
  );
}

export const httpFilterRules: readonly Rule[] = [
  ruleOfManager(
    'L6',
    'An API listener has HTTP filters',
    'gRFC A39',
    nackBy('core', 'go', 'java'),
    (manager, report, side) => {
      for (const item of itemsOf(manager)) {
        if (item.at('name').text === '')
          report({ field: item.at('name'), expected: 'a name', reactions: nackBy('core', 'go') });
      }
      const clients = profilesOf('core', 'go', 'java').filter(
        (each) => keptBy(each, manager, side).length === 0,
      );
      if (clients.length > 0)
        report({
          field: manager.at('httpFilters'),
          expected: 'at least one filter',
          got: 'none',
          reactions: nackBy(...clients),
        });
    },
  ),
  ruleOfManager(
    'L7',
    'The names of HTTP filters are present and unique',
    'gRFC A39',
    nackBy(...grpcClients),
    (manager, report) => {
      const seen = new Set<string>();
      for (const item of itemsOf(manager)) {
        const name = item.at('name');
        if (seen.has(name.text)) report({ field: name, expected: 'a name that is unique in the list' });
        seen.add(name.text);
      }
    },
  ),
  ruleOfManager(
    'L8',
    'An HTTP filter is supported by the client, or optional',
    'gRFC A39: known filters',
    nackBy(),
    (manager, report) => {
      for (const item of itemsOf(manager)) {
        const config = item.at('typedConfig');
        const isOptional = item.at('isOptional').isTrue;
        if (config.exists) checkExtensionType(config, report);
        // The other clients drop an optional filter without config.
        if (!config.exists && !item.at('configDiscovery').exists)
          report({
            field: config,
            expected: 'a filter config',
            reactions: isOptional ? nackBy('node', ...since('core-1.56')) : nackBy(...profiles),
          });
        else if (!config.exists)
          report({
            field: config,
            expected: 'a filter config: ECDS is for Envoy',
            reactions: isOptional ? nackBy('node', ...since('core-1.56')) : nackBy(...grpcProfiles),
          });
        else if (!isOptional) {
          const clients = profiles.filter((profile) => !isKnown(typeSeenBy(profile, config), profile));
          if (clients.length > 0)
            report({
              field: config,
              expected: 'a filter that the client supports, or isOptional',
              got: config.typeName,
              reactions: nackBy(...clients),
            });
        }
      }
    },
  ),
  ruleOfManager(
    'L9',
    'An HTTP filter is supported on the side of the client or of the server',
    'gRFC A39: sides',
    nackBy(),
    (manager, report, side) => {
      for (const item of itemsOf(manager)) {
        const config = item.at('typedConfig');
        const type = config.typeName;
        if (item.at('isOptional').isTrue) continue;
        const clients = profiles.filter((each) => {
          const seen = typeSeenBy(each, config);
          return isKnown(seen, each) && !isSupported(seen, side, each);
        });
        if (clients.length > 0)
          report({
            field: config,
            expected: `a filter of the ${side} side`,
            got: type,
            reactions: nackBy(...clients),
          });
      }
    },
  ),
  ruleOfManager(
    'L10',
    'The config of an HTTP filter can be decoded',
    'gRFC A39: readable configs',
    nackBy(),
    (manager, report, side) => {
      for (const item of itemsOf(manager)) {
        const config = item.at('typedConfig');
        const type = config.typeName;
        const readers = grpcProfiles.filter((each) =>
          readsConfig(each, typeSeenBy(each, config), side, item.at('isOptional').isTrue),
        );
        if (config.unreadable !== undefined)
          report({
            field: config,
            expected: 'a readable filter config',
            got: config.unreadable,
            // The routers of two clients do not read their config.
            reactions: nackBy(
              ...readers.filter((each) => type !== router || ['core', 'go'].includes(clientOf(each))),
              'envoy',
            ),
          });
        // Filters of gRPC require a protobuf message, not a Struct; the routers of two clients read no config.
        else if (config.isTypedStruct && readers.length > 0)
          report({
            field: config,
            expected: `the message ${type}`,
            got: 'a TypedStruct',
            reactions: nackBy(
              ...readers.filter((each) => type !== router || ['core', 'go'].includes(clientOf(each))),
            ),
          });
      }
    },
  ),
  ruleOfManager(
    'L11',
    'The last HTTP filter, and no other, is a terminal one',
    'gRFC A39: terminal filter',
    nackBy(),
    (manager, report, side) => {
      for (const profile of profiles) {
        const kept = keptBy(profile, manager, side);
        for (const [index, item] of kept.entries()) {
          const type = typeSeenBy(profile, item.at('typedConfig'));
          const isLast = index === kept.length - 1;
          if (isLast === (type === router) || (clientOf(profile) === 'envoy' && isLast && isCustom(item)))
            continue;
          report({
            field: item,
            expected: isLast ? 'the router as last filter' : 'the router only at the end',
            got: type || 'nothing',
            reactions: nackBy(profile),
          });
        }
      }
    },
  ),
];

/** Filters of Envoy that are terminal as well, or can be. */
const terminal =
  /\.http\.(?:router|upstream_codec|mcp_router|dynamic_modules|file_server|match_delegate|composite)\./;

/** Envoy has other terminal filters, its own and those of extensions. */
export function isCustom(item: Field): boolean {
  const type = item.at('typedConfig').typeName;
  return !type.startsWith('envoy.extensions.filters.http.') || terminal.test(type);
}
