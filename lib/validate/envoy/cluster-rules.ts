import { CDS, EDS } from '../../xds/resource-type';
import { clusterProvided } from '../cluster/known-policies';
import { isPrime } from '../cluster/lb-policy';
import { configsOf } from '../cluster/walk-policies';
import { durationSeconds } from '../duration';
import { isIpAddress } from '../ip-address';
import { nackBy } from '../reactions';
import { type Rule, rulesOf } from '../rule';
import { checkConfigSource } from './common-checks';

const source = 'Envoy: measured with 1.36.2 and 1.40.0';
const ofNewest = 'Envoy: measured with 1.40.0';
const cluster = rulesOf(CDS.typeUrl);
const assignment = rulesOf(EDS.typeUrl);
const aggregate = 'envoy.extensions.clusters.aggregate.v3.ClusterConfig';

/** Conditions on clusters and endpoints that Envoy rejects and that are no constraints of the protos. */
export const envoyClusterRules: readonly Rule[] = [
  cluster(
    'ENVOY-lb-config',
    'Fields that load_balancing_policy replaces are not set beside it',
    source,
    nackBy('envoy'),
    (resource, report) => {
      if (configsOf(resource.at('loadBalancingPolicy')).length === 0) return;
      for (const name of ['localityWeightedLbConfig', 'zoneAwareLbConfig', 'consistentHashingLbConfig']) {
        const field = resource.in('commonLbConfig', name);
        if (field.exists) report({ field, expected: 'nothing beside loadBalancingPolicy' });
      }
    },
  ),
  cluster(
    'ENVOY-lb-provided',
    'CLUSTER_PROVIDED is the policy of clusters that provide one, and of no other',
    source,
    nackBy('envoy'),
    (resource, report) => {
      const [policy] = configsOf(resource.at('loadBalancingPolicy'));
      const field = policy ?? resource.at('lbPolicy');
      const isProvided = (policy?.typeName ?? field.text) === (policy ? clusterProvided : 'CLUSTER_PROVIDED');
      const isAggregate = resource.in('clusterType', 'typedConfig').typeName === aggregate;
      if (isProvided && !resource.at('clusterType').exists && resource.at('type').text !== 'ORIGINAL_DST')
        report({ field, expected: 'another policy: clusters of this type provide none' });
      if (isAggregate && !isProvided)
        report({
          field,
          expected: 'CLUSTER_PROVIDED',
          got: field.exists ? field.show() : 'ROUND_ROBIN (unset)',
        });
    },
  ),
  cluster(
    'ENVOY-discovery',
    'eds_cluster_config is set for clusters of the type EDS alone',
    ofNewest,
    nackBy('envoy'),
    (resource, report) => {
      const eds = resource.at('edsClusterConfig');
      if (!eds.exists) return;
      if (resource.at('clusterType').exists || resource.at('type').text !== 'EDS')
        report({ field: eds, expected: 'nothing: the type is not EDS' });
      else checkConfigSource(eds.at('edsConfig'), report);
    },
  ),
  cluster(
    'ENVOY-static',
    'load_assignment fits the discovery type',
    ofNewest,
    nackBy('envoy'),
    (resource, report) => {
      if (resource.at('clusterType').exists || !['', 'STATIC'].includes(resource.at('type').text)) return;
      for (const locality of resource.in('loadAssignment', 'endpoints').items()) {
        const leds = locality.at('ledsClusterLocalityConfig');
        if (leds.exists) report({ field: leds, expected: 'nothing: the type of the cluster is not EDS' });
        for (const endpoint of locality.at('lbEndpoints').items()) {
          for (const extra of endpoint.in('endpoint', 'additionalAddresses').items())
            if (!extra.at('address').exists) report({ field: extra.at('address'), expected: 'an address' });
          const address = endpoint.in('endpoint', 'address');
          if (address.at('pipe').exists || address.at('envoyInternalAddress').exists) continue;
          const socket = address.at('socketAddress');
          if (socket.at('resolverName').text === '' && !isIpAddress(socket.at('address').text))
            report({
              field: socket.at('address'),
              expected: 'an IP address: the type of the cluster is STATIC',
            });
        }
      }
    },
  ),
  cluster(
    'ENVOY-lb-policy',
    'The LB policy and its config fit together',
    ofNewest,
    nackBy('envoy'),
    (resource, report) => {
      const policy = resource.at('lbPolicy');
      const newer = resource.at('loadBalancingPolicy');
      if (policy.text === 'LOAD_BALANCING_POLICY_CONFIG' && !newer.exists)
        report({ field: newer, expected: 'a policy, because lbPolicy refers to it' });
      if (newer.exists && resource.at('lbSubsetConfig').exists)
        report({ field: resource.at('lbSubsetConfig'), expected: 'nothing beside loadBalancingPolicy' });
    },
  ),
  cluster(
    'ENVOY-ejection',
    'max_ejection_time is at least base_ejection_time',
    ofNewest,
    nackBy('envoy'),
    (resource, report) => {
      const detection = resource.at('outlierDetection');
      const max = detection.at('maxEjectionTime');
      const base = detection.at('baseEjectionTime');
      if (max.exists && durationSeconds(max) < (base.exists ? durationSeconds(base) : 30))
        report({ field: max, expected: 'at least baseEjectionTime' });
    },
  ),
  cluster(
    'ENVOY-maglev',
    'The table size of Maglev is a prime number within its limit',
    source,
    nackBy('envoy'),
    (resource, report) => {
      const field = resource.in('maglevLbConfig', 'tableSize');
      const isUsed = resource.at('lbPolicy').text === 'MAGLEV' && !resource.at('loadBalancingPolicy').exists;
      if (isUsed && field.exists && !isPrime(field.numberOr(0)))
        report({ field, expected: 'a prime number' });
    },
  ),
  assignment(
    'ENVOY-drops',
    'There is at most one drop category, of at most 100 percent',
    source,
    nackBy('envoy'),
    (resource, report) => {
      const drops = resource.in('policy', 'dropOverloads');
      if (drops.items().length > 1)
        report({ field: drops, expected: 'at most one category', got: String(drops.items().length) });
      for (const drop of drops.items()) {
        const percentage = drop.at('dropPercentage');
        const limit = limits.get(percentage.at('denominator').text) ?? 100;
        if (percentage.at('numerator').numberOr(0) > limit)
          report({ field: percentage, expected: 'at most 100 %', got: percentage.show() });
      }
    },
  ),
  assignment(
    'ENVOY-named-port',
    'An endpoint has a port number, not a named port',
    source,
    nackBy('envoy'),
    (resource, report) => {
      for (const locality of resource.at('endpoints').items()) {
        for (const endpoint of locality.at('lbEndpoints').items()) {
          const field = endpoint.in('endpoint', 'address', 'socketAddress', 'namedPort');
          if (field.exists) report({ field, expected: 'a port number' });
        }
      }
    },
  ),
];

const limits: ReadonlyMap<string, number> = new Map([
  ['HUNDRED', 100],
  ['TEN_THOUSAND', 10_000],
  ['MILLION', 1_000_000],
]);
