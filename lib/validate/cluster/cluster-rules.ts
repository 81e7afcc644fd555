import { CDS } from '../xds/resource-type';
import type { Field } from './field';
import { checkLbPolicy } from './lb-policy';
import { allNack, nackBy } from './profile';
import { durationText, isAdsOrSelf, isDuration } from './proto-values';
import type { Breach, Rule } from './rule';

type Report = (breach: Breach) => void;

const aggregate = 'envoy.extensions.clusters.aggregate.v3.ClusterConfig';
const maxRingSize = 8_388_608;

function rule(
  id: string,
  source: string,
  fieldPath: string,
  reactions: Rule['reactions'],
  check: (cluster: Field, report: Report) => void,
): Rule {
  return { id, types: [CDS.typeUrl], source, fieldPath, reactions, check };
}

export const clusterRules: readonly Rule[] = [
  rule('C1', 'gRFC A37: discovery type', 'type', allNack, (cluster, report) => {
    const type = cluster.at('type');
    if (!cluster.at('clusterType').exists && type.text !== 'EDS' && type.text !== 'LOGICAL_DNS')
      report({
        field: type,
        expected: 'EDS, LOGICAL_DNS or a clusterType',
        got: type.text || 'STATIC (unset)',
      });
  }),
  rule('C2', 'gRFC A27, A47: EDS cluster', 'edsClusterConfig', allNack, (cluster, report) => {
    if (cluster.at('type').text !== 'EDS') return;
    const eds = cluster.at('edsClusterConfig');
    if (!isAdsOrSelf(eds.at('edsConfig'))) report({ field: eds.at('edsConfig'), expected: 'ads or self' });
    if (cluster.at('name').text.startsWith('xdstp:') && eds.at('serviceName').text === '')
      report({ field: eds.at('serviceName'), expected: 'a service name, for the cluster name is xdstp:' });
  }),
  rule('C3', 'gRFC A37: LOGICAL_DNS cluster', 'loadAssignment', allNack, (cluster, report) => {
    if (cluster.at('type').text === 'LOGICAL_DNS') checkLogicalDns(cluster.at('loadAssignment'), report);
  }),
  rule('C4', 'gRFC A37: aggregate cluster', 'clusterType.typedConfig', allNack, (cluster, report) => {
    const type = cluster.at('clusterType');
    if (!type.exists) return;
    const config = type.at('typedConfig');
    if (config.typeName !== aggregate) {
      report({ field: config, expected: aggregate, got: config.typeName || config.show() });
      return;
    }
    if (type.at('name').text !== 'envoy.clusters.aggregate')
      report({
        field: type.at('name'),
        expected: '"envoy.clusters.aggregate"',
        reactions: nackBy('go', 'java'),
      });
    if (config.unreadable !== undefined)
      report({ field: config, expected: `a readable ${aggregate}`, got: config.unreadable });
    // C-core 1.51 takes an aggregate of nothing.
    else if (config.at('clusters').items().length === 0)
      report({
        field: config.at('clusters'),
        expected: 'at least one cluster',
        reactions: nackBy('go', 'java', 'node'),
      });
  }),
  rule(
    'C5',
    'gRFC A52: load_balancing_policy (newer than C-core 1.51)',
    'loadBalancingPolicy',
    nackBy('go', 'java', 'node'),
    (cluster, report) => {
      const policy = cluster.at('loadBalancingPolicy');
      if (!policy.exists) return;
      for (const profile of ['go', 'java', 'node'] as const) checkLbPolicy(policy, profile, report);
    },
  ),
  rule('C6', 'gRFC A42, A48: lb_policy', 'lbPolicy', allNack, (cluster, report) => {
    const policy = cluster.at('lbPolicy');
    if (['', 'ROUND_ROBIN', 'RING_HASH'].includes(policy.text)) return;
    const isSuperseded = cluster.at('loadBalancingPolicy').exists;
    // LEAST_REQUEST is experimental, off by default, everywhere but in Java.
    const refusers = policy.text === 'LEAST_REQUEST' ? (['core', 'go', 'node'] as const) : undefined;
    report({
      field: policy,
      expected: 'ROUND_ROBIN or RING_HASH',
      // Go looks at the enum even when load_balancing_policy supersedes it; C-core 1.51 knows only the enum.
      reactions: isSuperseded ? nackBy('core', 'go') : refusers === undefined ? allNack : nackBy(...refusers),
    });
  }),
  rule('C7', 'gRFC A42: ring hash', 'ringHashLbConfig', nackBy('core', 'java', 'node'), (cluster, report) => {
    if (cluster.at('lbPolicy').text !== 'RING_HASH') return;
    const hasNewPolicy = cluster.at('loadBalancingPolicy').exists;
    checkRing(cluster.at('ringHashLbConfig'), (breach) => {
      if (!hasNewPolicy) report(breach);
      else report({ ...breach, sparedBy: new Set(['java', 'node']) });
    });
  }),
  rule(
    'C8',
    'gRFC A48: least request',
    'leastRequestLbConfig.choiceCount',
    nackBy('java'),
    (cluster, report) => {
      const count = cluster.in('leastRequestLbConfig', 'choiceCount');
      if (cluster.at('lbPolicy').text === 'LEAST_REQUEST' && count.exists && count.numberOr(0) < 2)
        report({ field: count, expected: 'a choice of >= 2' });
    },
  ),
  rule('C9', 'gRFC A27: load reports', 'lrsServer', allNack, (cluster, report) => {
    const server = cluster.at('lrsServer');
    if (server.exists && !server.at('self').exists) report({ field: server, expected: 'self' });
  }),
  rule('C12', 'gRFC A50: outlier detection', 'outlierDetection', allNack, (cluster, report) => {
    const detection = cluster.at('outlierDetection');
    for (const name of ['interval', 'baseEjectionTime', 'maxEjectionTime']) {
      const duration = detection.at(name);
      if (!isDuration(duration)) report({ field: duration, expected: durationText });
    }
    for (const name of [
      'maxEjectionPercent',
      'enforcingSuccessRate',
      'failurePercentageThreshold',
      'enforcingFailurePercentage',
    ]) {
      const percent = detection.at(name);
      // C-core compares the wrong variable for the threshold, and so takes any.
      const reactions = name === 'failurePercentageThreshold' ? nackBy('go', 'java', 'node') : allNack;
      if (percent.numberOr(0) > 100) report({ field: percent, expected: 'at most 100', reactions });
    }
  }),
];

function checkLogicalDns(assignment: Field, report: Report): void {
  const localities = assignment.at('endpoints').items();
  const [locality] = localities;
  if (locality === undefined || localities.length > 1) {
    const got = assignment.exists ? String(localities.length) : 'no load assignment';
    report({ field: assignment.at('endpoints'), expected: 'exactly one locality', got });
    return;
  }
  const endpoints = locality.at('lbEndpoints').items();
  const [endpoint] = endpoints;
  if (endpoint === undefined || endpoints.length > 1) {
    report({
      field: locality.at('lbEndpoints'),
      expected: 'exactly one endpoint',
      got: String(endpoints.length),
    });
    return;
  }
  const socket = endpoint.in('endpoint', 'address', 'socketAddress');
  if (!socket.exists) {
    report({ field: socket, expected: 'a socket address' });
    return;
  }
  const resolver = socket.at('resolverName');
  const port = socket.at('portValue');
  if (resolver.text !== '')
    report({ field: resolver, expected: 'no resolver name', reactions: nackBy('core', 'go', 'java') });
  if (socket.at('address').text === '') report({ field: socket.at('address'), expected: 'a host name' });
  if (!port.exists) report({ field: port, expected: 'a port' });
  else if (port.numberOr(0) === 0) report({ field: port, expected: 'a port >= 1', reactions: nackBy('go') });
}

function checkRing(config: Field, report: Report): void {
  const hash = config.at('hashFunction');
  const min = config.at('minimumRingSize');
  const max = config.at('maximumRingSize');
  const minSize = min.numberOr(1024);
  const maxSize = max.numberOr(maxRingSize);
  if (!['', 'XX_HASH'].includes(hash.text)) report({ field: hash, expected: 'XX_HASH', reactions: allNack });
  for (const [field, size] of [
    [min, minSize],
    [max, maxSize],
  ] as const) {
    if (size > maxRingSize) report({ field, expected: `a ring size <= ${maxRingSize}` });
    if (size === 0) report({ field, expected: 'a ring size >= 1', reactions: nackBy('core') });
  }
  if (minSize > maxSize)
    report({
      field: min,
      expected: `a size <= maximumRingSize, which is ${maxSize}`,
      reactions: nackBy('core', 'java'),
    });
}
