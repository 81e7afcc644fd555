import { before, grpcProfiles, profileSet, profilesOf, since, type Who } from '../../xds/profile';
import { CDS } from '../../xds/resource-type';
import type { Field } from '../field';
import { grpcNack, nackBy } from '../reactions';
import { type Report, type Rule, rulesOf } from '../rule';
import { policyListReaders, supportsLeastRequest } from './known-policies';
import { checkLbPolicy, ringSizesOf } from './lb-policy';
import { walkPolicies } from './walk-policies';

const rule = rulesOf(CDS.typeUrl);

const maxRingSize = 8_388_608;
const defaultMinRingSize = 1024;

export const lbRules: readonly Rule[] = [
  rule(
    'C5',
    'load_balancing_policy has a policy that the client supports',
    'gRFC A52: load_balancing_policy',
    nackBy(),
    (cluster, report) => {
      const policy = cluster.at('loadBalancingPolicy');
      if (!policy.exists) return;
      for (const profile of policyListReaders) checkLbPolicy(policy, profile, 'choice', report);
    },
  ),
  rule(
    'C6',
    'lb_policy is ROUND_ROBIN or RING_HASH, or LEAST_REQUEST where the client supports it',
    'gRFC A42, A48: lb_policy',
    grpcNack,
    (cluster, report) => {
      const policy = cluster.at('lbPolicy');
      if (!policy.exists || ['ROUND_ROBIN', 'RING_HASH'].includes(policy.text)) return;
      const isSuperseded = cluster.at('loadBalancingPolicy').exists;
      // grpc-go reads the enum even if load_balancing_policy supersedes it; C-core before 1.55 knows only the enum.
      const rejecting = isSuperseded ? profilesOf('go', ...before('core-1.55')) : grpcProfiles;
      const isLeastRequest = policy.text === 'LEAST_REQUEST';
      report({
        field: policy,
        expected: 'ROUND_ROBIN or RING_HASH',
        reactions: nackBy(...rejecting.filter((each) => !isLeastRequest || !supportsLeastRequest(each))),
      });
    },
  ),
  rule(
    'C7',
    'The sizes and the hash function of ring hash are valid',
    'gRFC A42: ring hash',
    nackBy('core', 'java', 'node'),
    (cluster, report) => {
      if (cluster.at('lbPolicy').text !== 'RING_HASH') return;
      const hasNewPolicy = cluster.at('loadBalancingPolicy').exists;
      checkRing(cluster.at('ringHashLbConfig'), (violation) => {
        if (!hasNewPolicy) report(violation);
        else report({ ...violation, skippedBy: profileSet(...since('core-1.55'), 'java', 'node', 'envoy') });
      });
    },
  ),
  rule(
    'C8',
    'choice_count of least request is at least 2',
    'gRFC A48: least request',
    nackBy(...since('go-1.73'), ...since('java-1.76')),
    (cluster, report) => {
      const count = cluster.in('leastRequestLbConfig', 'choiceCount');
      const isUsed =
        cluster.at('lbPolicy').text === 'LEAST_REQUEST' && !cluster.at('loadBalancingPolicy').exists;
      if (isUsed && count.exists && count.numberOr(0) < 2)
        report({ field: count, expected: 'a choice of >= 2' });
    },
  ),
  rule(
    'C16',
    'The config of an LB policy is valid',
    'gRFC A42, A52, A58: configs of policies',
    nackBy(),
    (cluster, report) => {
      const policy = cluster.at('loadBalancingPolicy');
      if (!policy.exists) return;
      for (const profile of policyListReaders) checkLbPolicy(policy, profile, 'config', report);
      for (const config of walkPolicies(policy)) checkNewerPolicy(config, report);
    },
  ),
];

function checkRing(config: Field, report: Report): void {
  if (!config.exists) return;
  const hash = config.at('hashFunction');
  const min = config.at('minimumRingSize');
  const max = config.at('maximumRingSize');
  const minSize = min.numberOr(defaultMinRingSize);
  const maxSize = max.numberOr(maxRingSize);
  if (hash.exists && hash.text !== 'XX_HASH')
    report({ field: hash, expected: 'XX_HASH', reactions: grpcNack });
  for (const field of [min, max]) {
    const size = field.numberOr(1);
    if (size > maxRingSize)
      report({ field, expected: `a ring size <= ${maxRingSize}`, reactions: nackBy('core', 'node') });
    if (size === 0 || size >= 2 ** 63)
      report({
        field,
        expected: 'a ring size >= 1',
        // grpc-java reads a number of 2^63 or more as a negative one.
        reactions: size === 0 ? nackBy('core', 'java') : nackBy('java'),
      });
  }
  // C-core compares the sizes only if the minimum is set.
  const rejecting: Who[] = min.exists ? ['core', 'envoy'] : ['envoy'];
  const [javaMin, javaMax] = ringSizesOf(minSize, maxSize, 'java');
  if (javaMin > javaMax) rejecting.push('java');
  if (minSize > maxSize)
    report({
      field: min,
      expected: `a size <= maximumRingSize, which is ${maxSize}`,
      got: String(minSize),
      reactions: nackBy(...rejecting),
    });
}

const subsetting = 'envoy.extensions.load_balancing_policies.random_subsetting.v3.RandomSubsetting';

function checkNewerPolicy(config: Field, report: Report): void {
  const size = config.at('subsetSize');
  if (config.typeName === subsetting && size.numberOr(0) < 1)
    report({
      field: size,
      expected: 'at least 1',
      reactions: nackBy(),
      note: 'Only clients with gRFC A68 have the policy; they NACK it.',
    });
}
