import { since } from '../../xds/profile';
import type { Field } from '../field';
import { ignoredBy, nackBy, noNacks, react } from '../reactions';
import type { Dependence, Rule } from '../rule';
import { canMatchGrpc, hasKnownCluster, routesOf, virtualHostsOf } from './route-parts';
import { ruleOfConfig, ruleOfHost } from './route-rule';

const lookup = 'grpc.lookup.v1.RouteLookupClusterSpecifier';

/**
 * Plugins by name, and whether the client supports one of that type. C-core before 1.56 and grpc-js-xds do not read
 * the list.
 */
export function pluginsOf(config: Field): Map<string, { readonly isKnown: boolean }> {
  return new Map(
    config
      .at('clusterSpecifierPlugins')
      .items()
      .map((plugin) => [
        plugin.in('extension', 'name').text,
        { isKnown: plugin.in('extension', 'typedConfig').typeName === lookup },
      ]),
  );
}

const javaPanics: Dependence = {
  dependsOn:
    'The targets of the client, which are not known here: a channel of Java fails after its ACK unless a domain before this one is its host.',
  otherwise: react({ crash: ['java'] }),
};

export const virtualHostRules: readonly Rule[] = [
  ruleOfConfig(
    'R1',
    'A cluster specifier plugin is supported, or optional',
    'gRFC A28, RLS in xDS: cluster specifier plugins',
    nackBy(...since('core-1.56'), 'go', 'java'),
    (config, report) => {
      const seen = new Set<string>();
      // grpc-java compares only plugins that it supports.
      const seenByJava = new Set<string>();
      for (const plugin of config.at('clusterSpecifierPlugins').items()) {
        const extension = plugin.at('extension');
        const typed = extension.at('typedConfig');
        const name = extension.at('name');
        const isOptional = plugin.at('isOptional').isTrue;
        const isKnown = typed.typeName === lookup;
        if (seen.has(name.text))
          report({
            field: name,
            expected: 'a name that is unique in the list',
            reactions: nackBy(
              ...since('core-1.56'),
              ...(isKnown && seenByJava.has(name.text) ? ['java' as const] : []),
            ),
          });
        seen.add(name.text);
        if (isKnown) seenByJava.add(name.text);
        if (!typed.exists)
          report({
            field: typed,
            expected: 'a plugin config',
            reactions: isOptional
              ? nackBy(...since('core-1.56'), 'java')
              : nackBy(...since('core-1.56'), 'go', 'java', 'envoy'),
          });
        else if (typed.typeName === lookup && typed.unreadable !== undefined)
          report({ field: typed, expected: `a readable ${lookup}`, got: typed.unreadable });
        else if (typed.typeName !== lookup && !isOptional)
          report({ field: typed, expected: `${lookup}, or isOptional`, got: typed.typeName });
      }
    },
  ),
  ruleOfHost(
    'R2',
    'A virtual host has domains, and no domain occurs twice',
    'gRFC A27: domains',
    nackBy('core'),
    (host, report) => {
      if (host.at('domains').items().length === 0)
        report({ field: host.at('domains'), expected: 'at least one domain' });
    },
  ),
  ruleOfHost(
    'R3',
    'A domain pattern has one "*", at its begin or its end',
    'gRFC A27: domain patterns',
    nackBy('core', 'node'),
    (host, report) => {
      for (const domain of host.at('domains').items()) {
        const text = domain.text;
        const expected = 'a name, with at most one * that is its first or last character';
        if (text === '') report({ field: domain, expected, reactions: nackBy('core') });
        if (text === '' || text.startsWith('.') || text.endsWith('.'))
          report({
            field: domain,
            expected: 'a name without . at its begin or end',
            reactions: noNacks,
            dependence: javaPanics,
          });
        if (!text.includes('*')) continue;
        const isCut = !text.startsWith('*') && !text.endsWith('*');
        const isOne = text.indexOf('*') === text.lastIndexOf('*');
        // C-core validates the first and the last character; grpc-js-xds counts the stars.
        if (isCut) report({ field: domain, expected });
        else if (!isOne) report({ field: domain, expected, reactions: nackBy('node') });
      }
    },
  ),
  ruleOfHost(
    'R13a',
    'A virtual host has a route that the client can use',
    'C-core 1.51: a virtual host needs a route that it can use',
    nackBy('core-1.51'),
    (host, report) => {
      const isDropped = (route: Field): boolean =>
        route.in('match', 'queryParameters').items().length > 0 ||
        !canMatchGrpc(route.at('match')) ||
        (route.at('route').exists && !hasKnownCluster(route.at('route'), 'core-1.51'));
      if (host.at('routes').items().every(isDropped))
        report({ field: host.at('routes'), expected: 'at least one usable route', got: 'none' });
    },
  ),
  ruleOfHost(
    'R19',
    'A route can be reached: the first match wins',
    'gRFC A28: the first match wins',
    ignoredBy('core', 'go', 'java', 'node', 'envoy'),
    (host, report) => {
      const seen = new Set<string>();
      for (const { field } of routesOf(host)) {
        const key = JSON.stringify(field.at('match').value ?? null);
        if (field.at('match').exists && seen.has(key))
          report({ field, expected: 'a match that no route before it has, else it is never used' });
        seen.add(key);
      }
    },
  ),
  ruleOfConfig(
    'ENVOY-domains',
    'A domain is in one virtual host alone',
    'Envoy: a domain is in one virtual host alone',
    nackBy('envoy'),
    (config, report) => {
      const seen = new Set<string>();
      for (const host of virtualHostsOf(config)) {
        for (const domain of host.at('domains').items()) {
          const name = domain.text.toLowerCase();
          if (seen.has(name))
            report({ field: domain, expected: 'a domain that is unique in the configuration' });
          seen.add(name);
        }
      }
    },
  ),
];
