import { LDS } from '../xds/resource-type';
import type { Field } from './field';
import { isSupported, router, type Side } from './http-filters';
import { allNack, nackBy, type Reactions } from './profile';
import { durationText, isAdsOrSelf, isDuration } from './proto-values';
import { connectionManager, connectionManagersOf } from './route-parts';
import type { Breach, Rule } from './rule';

type Report = (breach: Breach) => void;

function rule(
  id: string,
  source: string,
  fieldPath: string,
  reactions: Reactions,
  check: (listener: Field, report: Report) => void,
): Rule {
  return { id, types: [LDS.typeUrl], source, fieldPath, reactions, check };
}

function ruleOfManager(
  id: string,
  source: string,
  fieldPath: string,
  reactions: Reactions,
  check: (manager: Field, report: Report, side: Side) => void,
): Rule {
  return rule(id, source, `apiListener.apiListener.${fieldPath}`, reactions, (listener, report) => {
    const side = listener.at('apiListener').exists ? 'client' : 'server';
    for (const manager of connectionManagersOf(listener)) check(manager, report, side);
  });
}

/** Optional filters that the client has not are dropped; the rest are the chain. */
function keptFilters(manager: Field, side: Side): Field[] {
  return manager
    .at('httpFilters')
    .items()
    .filter((item) => !item.at('isOptional').isTrue || isSupported(item.at('typedConfig').typeName, side));
}

export const listenerRules: readonly Rule[] = [
  rule('L2', 'gRFC A27: API listener', 'apiListener.apiListener', allNack, (listener, report) => {
    const config = listener.in('apiListener', 'apiListener');
    if (!listener.at('apiListener').exists) return;
    if (config.typeName !== connectionManager)
      report({
        field: config,
        expected: connectionManager,
        got: config.typeName || config.show(),
        // Node looks no further when there is no Any at all.
        reactions: config.exists ? allNack : nackBy('core', 'go', 'java'),
      });
    else if (config.unreadable !== undefined)
      report({ field: config, expected: 'a readable HttpConnectionManager', got: config.unreadable });
  }),
  ruleOfManager('L3', 'gRFC A41', 'xffNumTrustedHops', nackBy('core', 'go', 'java'), (manager, report) => {
    const hops = manager.at('xffNumTrustedHops');
    if (hops.numberOr(0) !== 0) report({ field: hops, expected: '0' });
  }),
  ruleOfManager(
    'L4',
    'gRFC A41',
    'originalIpDetectionExtensions',
    nackBy('core', 'go', 'java'),
    (manager, report) => {
      const extensions = manager.at('originalIpDetectionExtensions');
      if (extensions.items().length > 0) report({ field: extensions, expected: 'none' });
    },
  ),
  ruleOfManager(
    'L5',
    'gRFC A31',
    'commonHttpProtocolOptions.maxStreamDuration',
    nackBy('core', 'java'),
    (manager, report) => {
      const duration = manager.in('commonHttpProtocolOptions', 'maxStreamDuration');
      if (!isDuration(duration)) report({ field: duration, expected: durationText });
    },
  ),
  ruleOfManager('L6', 'gRFC A39', 'httpFilters', nackBy('core', 'go', 'java'), (manager, report, side) => {
    for (const item of manager.at('httpFilters').items()) {
      if (item.at('name').text === '') report({ field: item.at('name'), expected: 'a name' });
    }
    if (keptFilters(manager, side).length === 0)
      report({ field: manager.at('httpFilters'), expected: 'at least one filter', got: 'none' });
  }),
  ruleOfManager('L7', 'gRFC A39', 'httpFilters[].name', allNack, (manager, report) => {
    const seen = new Set<string>();
    for (const item of manager.at('httpFilters').items()) {
      const name = item.at('name');
      if (seen.has(name.text)) report({ field: name, expected: 'a name that is new in the list' });
      seen.add(name.text);
    }
  }),
  ruleOfManager('L8', 'gRFC A39', 'httpFilters[].typedConfig', allNack, (manager, report, side) => {
    for (const item of manager.at('httpFilters').items()) {
      const config = item.at('typedConfig');
      const isOptional = item.at('isOptional').isTrue;
      // Go drops an optional filter without config.
      if (!config.exists)
        report({
          field: config,
          expected: 'a filter config',
          reactions: isOptional ? nackBy('core', 'java', 'node') : allNack,
        });
      else if (!isSupported(config.typeName, side)) {
        if (!isOptional) report({ field: config, expected: `a filter of the ${side}`, got: config.typeName });
      } else if (config.unreadable !== undefined)
        report({ field: config, expected: 'a readable filter config', got: config.unreadable });
    }
  }),
  ruleOfManager('L11', 'gRFC A39: terminal filter', 'httpFilters', allNack, (manager, report, side) => {
    const kept = keptFilters(manager, side);
    kept.forEach((item, index) => {
      const config = item.at('typedConfig');
      const isLast = index === kept.length - 1;
      if (isLast !== (config.typeName === router))
        report({
          field: item,
          expected: isLast ? 'the router as last filter' : 'the router only at the end',
          got: config.typeName || 'nothing',
        });
    });
    // Node counts the dropped ones too.
    const last = manager.at('httpFilters').items().at(-1);
    if (last !== undefined && last.at('typedConfig').typeName !== router)
      report({ field: last, expected: 'the router as last filter', reactions: nackBy('node') });
  }),
  ruleOfManager('L12', 'gRFC A27', 'routeSpecifier', allNack, (manager, report) => {
    if (!manager.at('rds').exists && !manager.at('routeConfig').exists)
      report({ field: manager.at('rds'), expected: 'rds or routeConfig' });
  }),
  ruleOfManager('L13', 'gRFC A27', 'rds.configSource', allNack, (manager, report) => {
    const source = manager.in('rds', 'configSource');
    if (manager.at('rds').exists && !isAdsOrSelf(source)) report({ field: source, expected: 'ads or self' });
  }),
  ruleOfManager('L14', 'gRFC A27', 'rds.routeConfigName', nackBy('go'), (manager, report) => {
    const name = manager.in('rds', 'routeConfigName');
    if (manager.at('rds').exists && name.text === '') report({ field: name, expected: 'a name' });
  }),
  rule('S2', 'gRFC A36', 'listenerFilters', allNack, (listener, report) => {
    const filters = listener.at('listenerFilters');
    // Only Node looks at a socket listener's fields in an API listener.
    const reactions = listener.at('apiListener').exists ? nackBy('node') : allNack;
    if (filters.items().length > 0) report({ field: filters, expected: 'none', reactions });
  }),
  rule('S3', 'gRFC A36', 'useOriginalDst', allNack, (listener, report) => {
    const field = listener.at('useOriginalDst');
    const reactions = listener.at('apiListener').exists ? nackBy('node') : allNack;
    if (field.isTrue) report({ field, expected: 'false', reactions });
  }),
  rule('S7', 'gRFC A36', 'filterChains', allNack, (listener, report) => {
    const chains = listener.at('filterChains');
    if (listener.at('apiListener').exists || listener.at('defaultFilterChain').exists) return;
    if (chains.items().length === 0)
      report({ field: chains, expected: 'a filter chain, a default one, or an apiListener' });
  }),
];
