import { LDS, RDS } from '../xds/resource-type';
import type { Field } from './field';
import { isKnownOverride, unwrapOverride } from './http-filters';
import { allNack, ignoredBy, nackBy, type Reactions } from './profile';
import {
  durationSeconds,
  durationText,
  isDuration,
  isKnownDenominator,
  isRe2,
  uint32Max,
} from './proto-values';
import {
  canMatchGrpc,
  hasKnownCluster,
  type RoutePart,
  routeConfigsOf,
  routesOf,
  virtualHostsOf,
} from './route-parts';
import type { Breach, Rule } from './rule';

type Report = (breach: Breach) => void;

function ruleOfConfig(
  id: string,
  source: string,
  fieldPath: string,
  reactions: Reactions,
  check: (config: Field, report: Report) => void,
): Rule {
  return {
    id,
    types: [RDS.typeUrl, LDS.typeUrl],
    source,
    fieldPath,
    reactions,
    check(resource, report) {
      const typeUrl = resource.at('virtualHosts').exists ? RDS.typeUrl : LDS.typeUrl;
      for (const config of routeConfigsOf(resource, typeUrl)) check(config, report);
    },
  };
}

function ruleOfHost(
  id: string,
  source: string,
  fieldPath: string,
  reactions: Reactions,
  check: (host: Field, report: Report) => void,
): Rule {
  return ruleOfConfig(id, source, `virtualHosts[].${fieldPath}`, reactions, (config, report) => {
    for (const host of virtualHostsOf(config)) check(host, report);
  });
}

function ruleOfRoute(
  id: string,
  source: string,
  fieldPath: string,
  reactions: Reactions,
  check: (route: Field, report: Report) => void,
): Rule {
  return ruleOfHost(id, source, `routes[].${fieldPath}`, reactions, (host, report) => {
    for (const { field, skippedBy } of routesOf(host)) {
      check(field, (breach) =>
        report({ ...breach, sparedBy: new Set([...(breach.sparedBy ?? []), ...skippedBy]) }),
      );
    }
  });
}

const headerSpecifiers = [
  'exactMatch',
  'safeRegexMatch',
  'rangeMatch',
  'presentMatch',
  'prefixMatch',
  'suffixMatch',
  'stringMatch',
];

export const routeRules: readonly Rule[] = [
  ruleOfHost('R2', 'gRFC A27: domains', 'domains', nackBy('core'), (host, report) => {
    if (host.at('domains').items().length === 0)
      report({ field: host.at('domains'), expected: 'at least one domain' });
  }),
  ruleOfHost('R3', 'gRFC A27: domain patterns', 'domains[]', nackBy('core', 'node'), (host, report) => {
    for (const domain of host.at('domains').items()) {
      const text = domain.text;
      const expected = 'a name, with at most one * that is its first or last character';
      const isPlain = !text.includes('*');
      if (text === '') report({ field: domain, expected, reactions: nackBy('core') });
      else if (isPlain) continue;
      else if (!text.startsWith('*') && text.indexOf('*') !== text.length - 1)
        // Node looks at the first star, C-core at the first and the last character.
        report({ field: domain, expected, reactions: text.endsWith('*') ? nackBy('node') : allNackButGo });
      else if (text.indexOf('*') !== text.lastIndexOf('*'))
        report({ field: domain, expected, reactions: nackBy('node') });
    }
  }),
  ruleOfHost('R4', 'gRFC A44: retry policy', 'retryPolicy', allNack, (host, report) => {
    checkRetry(host.at('retryPolicy'), report);
    for (const { field, skippedBy } of routesOf(host)) {
      const action = field.at('route');
      const sparedBy = new Set(skippedBy);
      // Go leaves a route with a foreign cluster specifier before it comes to the retry policy.
      if (!hasKnownCluster(action)) sparedBy.add('go');
      checkRetry(action.at('retryPolicy'), (breach) => report({ ...breach, sparedBy }));
    }
  }),
  ruleOfHost('R5', 'gRFC A28: match', 'routes[].match', allNack, (host, report) => {
    for (const { field } of routesOf(host)) {
      if (!field.at('match').exists) report({ field: field.at('match'), expected: 'a match' });
    }
  }),
  ruleOfHost(
    'R6',
    'gRFC A28: query parameters',
    'routes[].match.queryParameters',
    ignoredBy('core', 'go', 'java'),
    (host, report) => {
      for (const { field } of routesOf(host)) {
        const query = field.in('match', 'queryParameters');
        if (query.items().length > 0) report({ field: query, expected: 'none, else the route is not used' });
      }
    },
  ),
  ruleOfRoute('R7', 'gRFC A28: path specifier', 'match', allNack, (route, report) => {
    const match = route.at('match');
    if (match.exists && !['prefix', 'path', 'safeRegex'].some((name) => match.at(name).exists))
      report({ field: match, expected: 'prefix, path or safeRegex' });
  }),
  ruleOfRoute(
    'R8',
    'gRFC A28: safe_regex',
    'match.safeRegex.regex',
    nackBy('core', 'go', 'java'),
    (route, report) => {
      const regex = route.in('match', 'safeRegex', 'regex');
      if (!isRe2(regex.text)) report({ field: regex, expected: 'an RE2 pattern' });
    },
  ),
  ruleOfHost('R9', 'gRFC A28: paths of gRPC', 'routes[].match', ignoredBy('core'), (host, report) => {
    for (const { field } of routesOf(host)) {
      if (!canMatchGrpc(field.at('match')))
        report({ field: field.at('match'), expected: 'what can match /service/method' });
    }
  }),
  ruleOfRoute('R10', 'gRFC A28, A63: header matchers', 'match.headers[]', allNack, (route, report) => {
    for (const header of route.in('match', 'headers').items()) checkHeader(header, report);
  }),
  ruleOfRoute(
    'R11',
    'gRFC A28: runtime fraction',
    'match.runtimeFraction.defaultValue.denominator',
    nackBy('core', 'java'),
    (route, report) => {
      const fraction = route.in('match', 'runtimeFraction', 'defaultValue');
      if (!isKnownDenominator(fraction))
        report({ field: fraction.at('denominator'), expected: 'HUNDRED, TEN_THOUSAND or MILLION' });
    },
  ),
  ruleOfRoute('R12', 'gRFC A28: action', 'route', nackBy('java', 'node'), (route, report) => {
    if (route.at('route').exists || route.at('nonForwardingAction').exists) return;
    const other = ['redirect', 'directResponse', 'filterAction'].find((name) => route.at(name).exists);
    report({ field: route.at(other ?? 'route'), expected: 'route or nonForwardingAction' });
  }),
  ruleOfRoute(
    'R13',
    'gRFC A28: cluster',
    'route',
    ignoredBy('core', 'go', 'java', 'node'),
    (route, report) => {
      const action = route.at('route');
      const cluster = action.at('cluster');
      if (cluster.exists && cluster.text === '')
        report({ field: cluster, expected: 'a cluster name', reactions: nackBy('core') });
      if (action.exists && !hasKnownCluster(action))
        report({ field: action, expected: 'cluster, weightedClusters or clusterSpecifierPlugin' });
    },
  ),
  ruleOfHost(
    'R13a',
    'C-core 1.51: a virtual host needs a route that it can use',
    'routes',
    nackBy('core'),
    (host, report) => {
      const isDropped = ({ field, skippedBy }: RoutePart): boolean =>
        skippedBy.has('core') || (field.at('route').exists && !hasKnownCluster(field.at('route')));
      if (routesOf(host).every(isDropped))
        report({ field: host.at('routes'), expected: 'at least one usable route', got: 'none' });
    },
  ),
  ruleOfRoute('R15', 'gRFC A28: weighted clusters', 'route.weightedClusters', allNack, (route, report) => {
    const weighted = route.in('route', 'weightedClusters');
    if (weighted.exists) checkWeights(weighted, report);
  }),
  ruleOfRoute(
    'R16',
    'gRFC A31: timeouts',
    'route.maxStreamDuration',
    nackBy('core', 'java'),
    (route, report) => {
      const limits = route.in('route', 'maxStreamDuration');
      const header = limits.at('grpcTimeoutHeaderMax');
      // The second is read only when the first is not there.
      const used = header.exists ? header : limits.at('maxStreamDuration');
      if (hasKnownCluster(route.at('route')) && !isDuration(used))
        report({ field: used, expected: durationText });
    },
  ),
  ruleOfRoute(
    'R17',
    'gRFC A42: hash policy',
    'route.hashPolicy[].header',
    nackBy('go', 'java'),
    (route, report) => {
      for (const policy of route.in('route', 'hashPolicy').items()) {
        const regex = policy.in('header', 'regexRewrite', 'pattern', 'regex');
        if (!isRe2(regex.text)) report({ field: regex, expected: 'an RE2 pattern' });
      }
    },
  ),
  ruleOfHost('R18', 'gRFC A39: overrides', 'typedPerFilterConfig', allNack, (host, report) => {
    checkOverrides(host, report);
    for (const { field, skippedBy } of routesOf(host)) {
      const sparedBy = new Set(skippedBy);
      const action = field.at('route');
      if (action.exists && !hasKnownCluster(action)) sparedBy.add('core').add('go');
      if (!action.exists) sparedBy.add('node');
      const spare: Report = (breach) => report({ ...breach, sparedBy });
      checkOverrides(field, spare);
      for (const cluster of action.in('weightedClusters', 'clusters').items()) checkOverrides(cluster, spare);
    }
  }),
];

const allNackButGo = nackBy('core', 'node', 'java');

function checkOverrides(owner: Field, report: Report): void {
  for (const [name, field] of owner.at('typedPerFilterConfig').entries()) {
    if (name === '') report({ field, expected: 'the name of a filter', reactions: nackBy('core') });
    const { config, isOptional } = unwrapOverride(field);
    if (config.unreadable !== undefined)
      report({ field: config, expected: 'a readable filter config', got: config.unreadable });
    else if (!isOptional && !isKnownOverride(config.typeName))
      report({ field: config, expected: 'the config of a known filter', got: config.typeName || 'nothing' });
  }
}

function checkRetry(policy: Field, report: Report): void {
  if (!policy.exists) return;
  const retries = policy.at('numRetries');
  if (retries.exists && retries.numberOr(0) < 1) report({ field: retries, expected: 'at least 1' });
  const backOff = policy.at('retryBackOff');
  if (!backOff.exists) return;
  const base = backOff.at('baseInterval');
  const max = backOff.at('maxInterval');
  if (!base.exists) report({ field: base, expected: 'an interval' });
  else if (durationSeconds(base) <= 0)
    report({
      field: base,
      expected: 'more than 0 seconds',
      reactions: isDuration(base) ? nackBy('go', 'java', 'node') : allNack,
    });
  if (!max.exists) return;
  if (!isDuration(max))
    report({ field: max, expected: durationText, reactions: nackBy('core', 'go', 'java') });
  else if (durationSeconds(max) === 0)
    report({ field: max, expected: 'more than 0 seconds', reactions: nackBy('go') });
  if (durationSeconds(max) < durationSeconds(base))
    report({ field: max, expected: `at least baseInterval, ${base.show()}`, reactions: nackBy('node') });
}

function checkHeader(header: Field, report: Report): void {
  const specifier = header.names().find((name) => name.endsWith('Match') && name !== 'invertMatch');
  if (specifier === undefined) {
    report({ field: header, expected: 'a matcher', reactions: nackBy('core', 'go', 'java') });
    return;
  }
  const field = header.at(specifier);
  if (specifier === 'containsMatch')
    report({ field, expected: 'another matcher', reactions: nackBy('go', 'node') });
  else if (!headerSpecifiers.includes(specifier)) report({ field, expected: headerSpecifiers.join(', ') });
  // C-core 1.51 is older than string_match (gRFC A63).
  if (specifier === 'stringMatch') {
    report({ field, expected: 'another matcher', reactions: nackBy('core') });
    checkStringMatcher(field, report);
  }
  const regex = field.at('regex');
  if (specifier === 'safeRegexMatch' && !isRe2(regex.text))
    report({ field: regex, expected: 'an RE2 pattern', reactions: nackBy('core', 'go', 'java') });
  if (specifier === 'rangeMatch' && field.at('start').numberOr(0) > field.at('end').numberOr(0))
    report({ field, expected: 'start <= end', reactions: nackBy('core') });
}

function checkStringMatcher(matcher: Field, report: Report): void {
  const reactions = nackBy('core', 'go');
  for (const name of ['prefix', 'suffix', 'contains']) {
    const part = matcher.at(name);
    if (part.exists && part.text === '') report({ field: part, expected: 'some text', reactions });
  }
  const regex = matcher.in('safeRegex', 'regex');
  if (!isRe2(regex.text)) report({ field: regex, expected: 'an RE2 pattern', reactions });
}

function checkWeights(weighted: Field, report: Report): void {
  let sum = 0;
  for (const cluster of weighted.at('clusters').items()) {
    const name = cluster.at('name');
    const weight = cluster.at('weight');
    if (name.text === '') report({ field: name, expected: 'a cluster name', reactions: nackBy('core') });
    if (!weight.exists) report({ field: weight, expected: 'a weight', reactions: nackBy('core') });
    sum += weight.numberOr(0);
  }
  const field = weighted.at('clusters');
  if (sum === 0) report({ field, expected: 'a sum of weights >= 1', got: '0' });
  const total = weighted.at('totalWeight').numberOr(100);
  // As gRFC A28 first had it, and C-core 1.51 still does.
  if (sum !== total)
    report({ field, expected: `a sum of ${total}`, got: String(sum), reactions: nackBy('core') });
  if (sum > uint32Max) report({ field, expected: `a sum of weights <= ${uint32Max}`, got: String(sum) });
}
