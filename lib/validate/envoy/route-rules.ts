import { profilesOf, since } from '../../xds/profile';
import type { Field } from '../field';
import { nackBy } from '../reactions';
import { routesOf, virtualHostsOf } from '../route/route-parts';
import { ruleOfConfig } from '../route/route-rule';
import type { Report, Rule } from '../rule';
import { measured, ruleOfMessages } from './messages/rule-of-messages';

const route = 'envoy.config.route.v3';

/** Conditions on routes that Envoy rejects and that are no constraints of the protos. */
export const envoyRouteRules: readonly Rule[] = [
  ruleOfConfig(
    'ENVOY-mirror',
    'A request mirror policy is valid',
    measured,
    nackBy('envoy'),
    (config, report) => {
      const actions = allRoutesOf(config).map((each) => each.at('route'));
      for (const owner of [config, ...virtualHostsOf(config), ...actions]) {
        for (const mirror of owner.at('requestMirrorPolicies').items()) {
          const names = ['cluster', 'clusterHeader'].filter((name) => mirror.at(name).text !== '');
          if (names.length !== 1)
            report({
              field: mirror,
              expected: 'either cluster or clusterHeader',
              got: names.join(' and ') || 'neither',
            });
        }
      }
      for (const host of virtualHostsOf(config))
        if (host.at('matcher').exists && host.at('routes').items().length > 0)
          report({ field: host.at('matcher'), expected: 'nothing beside routes' });
    },
  ),
  ruleOfConfig(
    'ENVOY-body',
    'The body of a direct response has at most the configured size',
    measured,
    nackBy('envoy'),
    (config, report) => {
      // 0 is no limit.
      const limit = config.at('maxDirectResponseBodySizeBytes').numberOr(4096) || Infinity;
      for (const each of allRoutesOf(config)) {
        const body = each.in('directResponse', 'body');
        const text = body.at('inlineString');
        const bytes = body.at('inlineBytes');
        const field = text.exists ? text : bytes;
        const size = text.exists
          ? utf8Length(text.text)
          : Math.floor((bytes.text.replace(/=+$/, '').length * 3) / 4);
        if (size > limit)
          report({
            field,
            expected: `at most ${limit} bytes (maxDirectResponseBodySizeBytes)`,
            got: `${size} bytes`,
          });
      }
    },
  ),
  ruleOfMessages(
    'ENVOY-action',
    'The options of a route action fit together',
    [`${route}.RouteAction`],
    (action, report) => {
      const rewrites = ['prefixRewrite', 'regexRewrite', 'pathRewritePolicy', 'pathRewrite'].filter(
        (name) => action.at(name).exists && action.at(name).value !== '',
      );
      // Envoy 1.36 has no pathRewrite.
      const isNew = rewrites.includes('pathRewrite') && rewrites.length === 2;
      const reactions = nackBy(...(isNew ? since('envoy-1.37') : profilesOf('envoy')));
      if (rewrites.length > 1)
        report({
          reactions,
          field: action,
          expected: 'one rewrite of the path',
          got: rewrites.join(' and '),
        });
      checkUpgrades(action.at('upgradeConfigs'), report);
      for (const upgrade of action.at('upgradeConfigs').items()) {
        const config = upgrade.at('connectConfig');
        const type = upgrade.at('upgradeType').text.toLowerCase();
        if (config.exists && type !== 'connect' && type !== 'connect-udp')
          report({ field: config, expected: 'nothing: the upgrade is not CONNECT' });
      }
    },
  ),
  ruleOfMessages(
    'ENVOY-weighted',
    'A weighted cluster has either a name or the header with it',
    [`${route}.WeightedCluster.ClusterWeight`],
    (cluster, report) => {
      const header = cluster.at('clusterHeader');
      if (cluster.at('name').text !== '' && header.text !== '')
        report({ field: header, expected: 'nothing beside name' });
    },
  ),
  ruleOfMessages(
    'ENVOY-virtual-cluster',
    'A virtual cluster has headers that it matches',
    [`${route}.VirtualCluster`],
    (cluster, report) => {
      const headers = cluster.at('headers');
      if (headers.items().length === 0) report({ field: headers, expected: 'at least one' });
    },
  ),
  ruleOfMessages(
    'ENVOY-retry',
    'Retry host predicates and retry priorities have a config of their kind',
    [`${route}.RetryPolicy`],
    (policy, report) => {
      const host = 'envoy.extensions.retry.host.';
      const priority = 'envoy.extensions.retry.priority.';
      for (const each of policy.at('retryHostPredicate').items()) checkExtension(each, host, report);
      if (policy.at('retryPriority').exists) checkExtension(policy.at('retryPriority'), priority, report);
    },
  ),
];

/** Envoy does not find these extensions by their names. */
function checkExtension(extension: Field, prefix: string, report: Report): void {
  const config = extension.at('typedConfig');
  if (!config.exists)
    report({
      field: config,
      expected: 'a config: the name alone is not enough',
      got: extension.at('name').show(),
    });
  else if (config.typeName.startsWith('envoy.') && !config.typeName.startsWith(prefix))
    report({ field: config, expected: `a config of the kind ${prefix}*`, got: config.typeName });
}

/** Upgrades of a route or of a connection manager. Their types are compared without regard to case. */
export function checkUpgrades(upgrades: Field, report: Report): void {
  const seen = new Set<string>();
  for (const upgrade of upgrades.items()) {
    const type = upgrade.at('upgradeType');
    const name = type.text.toLowerCase();
    if (seen.has(name)) report({ field: type, expected: 'a type that is unique in the list' });
    seen.add(name);
  }
}

function allRoutesOf(config: Field): Field[] {
  return virtualHostsOf(config).flatMap((host) => routesOf(host).map(({ field }) => field));
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
