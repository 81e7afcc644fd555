import { before, grpcClients, grpcProfiles, profileSet, since, type Who, within } from '../../xds/profile';
import { durationText, isDuration, isJavaDuration, javaDurationText } from '../duration';
import type { Field } from '../field';
import { ignoredBy, javaThrows, nackBy, noNacks, react } from '../reactions';
import { type Report, type Rule, reportExceptFor } from '../rule';
import { checkRegex } from '../string-matcher';
import { crashesForTarget } from '../target-dependence';
import { checkRetry } from './retry-policy';
import { foreignTo, hasKnownCluster, routesOf, virtualHostsOf } from './route-parts';
import { ruleOfConfig, ruleOfHost, ruleOfRoute } from './route-rule';
import { pluginsOf } from './virtual-host-rules';
import { checkWeights } from './weighted-clusters';

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
