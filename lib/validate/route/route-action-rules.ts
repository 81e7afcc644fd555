import type { Who } from '../../xds/profile';
import { before, grpcClients, grpcProfiles, profileSet, since, within } from '../../xds/profile';
import { uint32Max } from '../common-values';
import {
  durationInt32Ms,
  durationSeconds,
  durationText,
  isComparableJavaDuration,
  isDuration,
  isJavaDuration,
  javaDurationText,
} from '../duration';
import type { Field } from '../field';
import { everyNack, grpcNack, ignoredBy, javaThrows, nackBy, noNacks, react } from '../reactions';
import type { Report, Rule } from '../rule';
import { reportExceptFor } from '../rule';
import { checkRegex } from '../string-matcher';
import { crashesForTarget } from '../target-dependence';
import { foreignTo, hasKnownCluster, routesOf, virtualHostsOf } from './route-parts';
import { ruleOfConfig, ruleOfHost, ruleOfRoute } from './route-rule';
import { pluginsOf } from './virtual-host-rules';

const retriable = ['cancelled', 'deadline-exceeded', 'internal', 'resource-exhausted', 'unavailable'];

/** gRFC A44: the retry policy of a virtual host or of a route. */
function checkRetry(policy: Field, report: Report): void {
  if (!policy.exists) return;
  const retries = policy.at('numRetries');
  if (retries.exists && retries.numberOr(0) < 1)
    report({ field: retries, expected: 'at least 1', reactions: nackBy('core', 'go', 'node') });
  const backOff = policy.at('retryBackOff');
  if (backOff.exists) checkBackOff(backOff, report);
  const codes = policy.at('retryOn');
  const foreign = codes.text.split(',').filter((code) => !retriable.includes(code.trim().toLowerCase()));
  if (codes.text !== '' && foreign.length > 0)
    report({
      field: codes,
      expected: `of ${retriable.join(', ')}`,
      reactions: ignoredBy('core', 'go', 'java', 'node'),
      note: `gRPC does not retry on ${foreign.join(', ')}.`,
    });
}

function checkBackOff(backOff: Field, report: Report): void {
  const base = backOff.at('baseInterval');
  const max = backOff.at('maxInterval');
  if (!base.exists) report({ field: base, expected: 'an interval', reactions: grpcNack });
  else {
    const clients: Who[] = isDuration(base) ? [] : ['core'];
    if (durationSeconds(base) <= 0) clients.push('go', 'java');
    if (durationInt32Ms(base) <= 0) clients.push('node');
    if (clients.length > 0)
      report({ field: base, expected: 'a duration of more than 0', reactions: nackBy(...clients) });
  }
  if (!isJavaDuration(base)) report({ field: base, expected: javaDurationText, reactions: javaThrows });
  if (!max.exists) return;
  if (!isComparableJavaDuration(max))
    report({ field: max, expected: 'a duration whose nanos have the same sign', reactions: javaThrows });
  if (!isDuration(max)) report({ field: max, expected: durationText, reactions: nackBy('core') });
  if (durationSeconds(max) <= 0)
    report({ field: max, expected: 'a duration of more than 0', reactions: nackBy('go') });
  const clients: Who[] = [];
  if (durationSeconds(max) < durationSeconds(base))
    clients.push('envoy', ...(isJavaDuration(base) ? (['java'] as const) : []));
  if (base.exists && durationInt32Ms(max) < durationInt32Ms(base)) clients.push('node');
  if (base.exists && clients.length > 0)
    report({ field: max, expected: `at least baseInterval, ${base.show()}`, reactions: nackBy(...clients) });
}

const crashesNode = react({ crash: ['node'] });
const usedByServer = {
  dependsOn:
    'The use of the route configuration, which is not known here: it is assumed to be that of a server. A channel of grpc-js-xds crashes if the domains of the virtual host include its target.',
  otherwise: crashesNode,
};

export const routeActionRules: readonly Rule[] = [
  ruleOfHost('R4', 'A retry policy is valid', 'gRFC A44: retry policy', nackBy(), (host, report) => {
    // grpc-java reads the retry policies of routes alone.
    checkRetry(host.at('retryPolicy'), reportExceptFor(report, profileSet('java')));
    for (const { field, skippedBy } of routesOf(host)) {
      const action = field.at('route');
      // grpc-go drops a route with an unknown cluster specifier before it reads the retry policy.
      checkRetry(
        action.at('retryPolicy'),
        reportExceptFor(report, new Set([...skippedBy, ...foreignTo(action, 'go')])),
      );
    }
  }),
  ruleOfRoute(
    'R12',
    'A route has an action that gRPC supports',
    'gRFC A28: action',
    nackBy('java', 'node'),
    (route, report) => {
      if (route.at('route').exists || route.at('nonForwardingAction').exists) return;
      const other = ['redirect', 'directResponse', 'filterAction'].find((name) => route.at(name).exists);
      report({
        field: route.at(other ?? 'route'),
        expected: 'route or nonForwardingAction',
        note: 'C-core and grpc-go keep the route, and fail the calls that match it with UNAVAILABLE.',
      });
    },
  ),
  ruleOfConfig(
    'R12a',
    'A route of a client forwards its calls',
    'gRFC A36: non-forwarding action',
    crashesNode,
    (config, report) => {
      const isShared = config.path === '';
      if (!isShared && !config.path.startsWith('apiListener')) return;
      for (const route of virtualHostsOf(config).flatMap((host) => host.at('routes').items())) {
        const field = route.at('nonForwardingAction');
        if (!field.exists || route.at('route').exists) continue;
        report({
          ...{ field, expected: 'route, because only servers have non-forwarding actions' },
          ...(isShared ? { reactions: noNacks, dependence: usedByServer } : crashesForTarget(crashesNode)),
        });
      }
    },
  ),
  ruleOfRoute(
    'R13',
    'A route action names a cluster',
    'gRFC A28: cluster',
    ignoredBy(...grpcClients),
    (route, report) => {
      const action = route.at('route');
      const cluster = action.at('cluster');
      if (cluster.exists && cluster.text === '')
        report({ field: cluster, expected: 'a cluster name', reactions: nackBy('core') });
      if (!action.exists) return;
      const other = ['clusterHeader', 'clusterSpecifierPlugin', 'inlineClusterSpecifierPlugin'].find(
        (name) => action.at(name).exists,
      );
      // grpc-js-xds NACKs an unknown specifier, but not an absent one.
      const isForeign = other !== undefined && !hasKnownCluster(action, 'node-1.14');
      const field = other === undefined ? action : action.at(other);
      const expected = 'cluster or weightedClusters';
      if (isForeign) report({ field, expected, reactions: nackBy('node') });
      const droppers = grpcProfiles.filter((profile) => !hasKnownCluster(action, profile));
      if (droppers.length > 0)
        report({
          field,
          expected,
          reactions: ignoredBy(...droppers),
          note: 'The route is left out, and no call matches it.',
        });
    },
  ),
  ruleOfConfig(
    'R14',
    'A route refers to a declared cluster specifier plugin',
    'gRFC A28, RLS in xDS: a declared plugin',
    nackBy(...since('core-1.56'), 'go', 'java'),
    (config, report) => {
      const plugins = pluginsOf(config);
      for (const host of virtualHostsOf(config)) {
        for (const { field: route, skippedBy } of routesOf(host)) {
          const name = route.in('route', 'clusterSpecifierPlugin');
          if (!name.exists) continue;
          const reportHere = reportExceptFor(report, skippedBy);
          const plugin = plugins.get(name.text);
          if (plugin === undefined)
            reportHere({
              field: name,
              expected: `one of clusterSpecifierPlugins (${[...plugins.keys()].join(', ') || 'there are none'})`,
              reactions: nackBy(...since('core-1.56'), 'go', 'java', 'envoy'),
            });
          else if (!plugin.isKnown)
            reportHere({
              field: name,
              expected: 'a plugin that the client supports',
              reactions: ignoredBy(...since('core-1.56'), 'go', 'java'),
              note: 'The plugin is optional: the route is left out.',
            });
        }
      }
    },
  ),
  ruleOfRoute(
    'R15',
    'Weighted clusters have names and a sum of weights from 1 to 2^32 - 1',
    'gRFC A28: weighted clusters',
    nackBy(),
    (route, report) => {
      const weighted = route.in('route', 'weightedClusters');
      if (weighted.exists) checkWeights(weighted, report);
    },
  ),
  ruleOfRoute(
    'R16',
    'Timeouts are valid durations',
    'gRFC A31: timeouts',
    nackBy('core'),
    (route, report) => {
      const action = route.at('route');
      const limits = action.at('maxStreamDuration');
      const header = limits.at('grpcTimeoutHeaderMax');
      const own = limits.at('maxStreamDuration');
      const reportHere = reportExceptFor(
        report,
        new Set(within(before('core-1.56'), ...foreignTo(action, 'core'))),
      );
      // gRPC clients read the second field only if the first is absent; Envoy reads both.
      for (const [field, readers] of [
        [header, ['core', 'envoy']],
        [own, header.exists ? ['envoy'] : ['core', 'envoy']],
      ] as const satisfies readonly (readonly [Field, readonly Who[]])[]) {
        if (!isDuration(field)) reportHere({ field, expected: durationText, reactions: nackBy(...readers) });
        if (field === (header.exists ? header : own) && !isJavaDuration(field))
          report({ field, expected: javaDurationText, reactions: javaThrows });
      }
    },
  ),
  ruleOfRoute(
    'R17',
    'A hash policy is supported and valid',
    'gRFC A42: hash policy',
    nackBy('go', 'java'),
    (route, report) => {
      for (const policy of route.in('route', 'hashPolicy').items()) checkHashPolicy(policy, report);
    },
  ),
];

function checkHashPolicy(policy: Field, report: Report): void {
  const header = policy.at('header');
  const key = policy.in('filterState', 'key');
  if (header.exists) {
    const rewrite = header.at('regexRewrite');
    const pattern = rewrite.at('pattern');
    if (rewrite.exists)
      checkRegex(
        pattern.at('regex'),
        react({
          NACK: [...since('core-1.53'), 'go', 'java-1.85', 'envoy'],
          'no answer': ['java-1.76'],
          // It compiles the pattern when it applies the config, of a route that it ignores, too.
          crash: ['node'],
        }),
        report,
      );
    if (header.at('headerName').text === '')
      report({
        field: header.at('headerName'),
        expected: 'the name of a header',
        reactions: nackBy(...since('core-1.53')),
      });
    if (rewrite.exists && pattern.at('regex').text === '')
      report({
        field: pattern,
        expected: 'a pattern',
        reactions: react({ NACK: since('core-1.53'), ignore: ['core-1.51'] }),
      });
  } else if (key.text !== 'io.grpc.channel_id') {
    report({
      field: policy.at('filterState').exists ? key : policy,
      expected: 'header, or the filterState "io.grpc.channel_id"',
      reactions: ignoredBy(...grpcClients),
    });
  }
}

function checkWeights(weighted: Field, report: Report): void {
  let sum = 0;
  for (const cluster of weighted.at('clusters').items()) {
    const name = cluster.at('name');
    const weight = cluster.at('weight');
    if (name.text === '') {
      const isInHeader = cluster.at('clusterHeader').text !== '';
      const reactions = isInHeader ? nackBy('core') : nackBy('core', 'envoy');
      report({ field: name, expected: 'a cluster name', reactions });
    }
    if (!weight.exists) report({ field: weight, expected: 'a weight', reactions: nackBy('core', 'envoy') });
    else if (weight.numberOr(0) === 0)
      report({
        field: weight,
        expected: 'at least 1, else the cluster is not used',
        reactions: ignoredBy('core', 'go', 'java', 'node'),
      });
    sum += weight.numberOr(0);
  }
  const field = weighted.at('clusters');
  const total = weighted.at('totalWeight');
  if (sum === 0) report({ field, expected: 'a sum of weights >= 1', got: '0', reactions: everyNack });
  // The first version of gRFC A28, which C-core 1.51 implements. It computes the sum in 32 bits.
  if (sum % (uint32Max + 1) !== total.numberOr(100))
    report({
      field,
      expected: `a sum of totalWeight, which is ${total.numberOr(100)}`,
      got: String(sum),
      reactions: nackBy('core-1.51'),
      note: total.exists ? undefined : 'totalWeight is 100 unless set.',
    });
  if (sum > uint32Max)
    report({
      field,
      expected: `a sum of weights <= ${uint32Max}`,
      got: String(sum),
      reactions: nackBy(...since('core-1.53'), 'go', ...since('java-1.76'), 'node', 'envoy'),
    });
  if (sum > 0 && (sum | 0) <= 0)
    report({
      field,
      expected: 'a sum of weights that is positive as a signed number of 32 bits',
      got: String(sum),
      reactions: nackBy(...before('java-1.76')),
    });
}
