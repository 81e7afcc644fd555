import type { ClusterBalancing } from './cluster-balancing';
import type { LocalityEndpoints } from './endpoints';
import { FieldReader } from './field-reader';
import type { LbPolicy } from './lb-policy';

/** The policy by which Envoy chooses an endpoint of a priority. `other` is a policy whose shares are not known. */
export type EnvoyPolicy =
  | 'round_robin'
  | 'least_request'
  | 'random'
  | 'ring_hash'
  | 'maglev'
  | 'client_side_weighted_round_robin'
  | 'other';

const extension = 'envoy.extensions.load_balancing_policies.';
const wrrLocality = `${extension}wrr_locality.v3.WrrLocality`;

const policyOfType: ReadonlyMap<string, EnvoyPolicy> = new Map([
  [`${extension}round_robin.v3.RoundRobin`, 'round_robin'],
  [`${extension}least_request.v3.LeastRequest`, 'least_request'],
  [`${extension}random.v3.Random`, 'random'],
  [`${extension}ring_hash.v3.RingHash`, 'ring_hash'],
  [`${extension}maglev.v3.Maglev`, 'maglev'],
  [
    `${extension}client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin`,
    'client_side_weighted_round_robin',
  ],
  [wrrLocality, 'other'],
  [`${extension}subset.v3.Subset`, 'other'],
  [`${extension}override_host.v3.OverrideHost`, 'other'],
  [`${extension}cluster_provided.v3.ClusterProvided`, 'other'],
]);

const policyOfEnum: ReadonlyMap<string, EnvoyPolicy> = new Map([
  ['ROUND_ROBIN', 'round_robin'],
  ['LEAST_REQUEST', 'least_request'],
  ['RANDOM', 'random'],
  ['RING_HASH', 'ring_hash'],
  ['MAGLEV', 'maglev'],
]);

/** Section 5.6. load_balancing_policy supersedes lb_policy; its first policy that Envoy has registered is used. */
export function envoyPolicyOf(balancing: ClusterBalancing) {
  const { policies, lbPolicy } = balancing;
  const listed = policies?.find(({ typeName, isCustom }) => !isCustom && policyOfType.has(typeName));
  return {
    policy: listed === undefined ? (policyOfEnum.get(lbPolicy) ?? 'other') : policyOf(listed),
    listed,
    ownLocality: listed && localityConfigOf(listed),
  };
}

/** A setting by which Envoy chooses before or beside the endpoints' weights, and that is not modelled; empty if none. */
export function whyNotModelled(balancing: ClusterBalancing): string {
  const { policies, lbPolicy, subsetFallback } = balancing;
  const { policy, listed, ownLocality } = envoyPolicyOf(balancing);
  if (subsetFallback !== null)
    return `lb_subset_config: the metadata of each route and request selects a subset of the hosts (fallback policy ${subsetFallback})`;
  if (policies !== undefined && listed === undefined)
    return `load_balancing_policy: none of ${policies.map(({ typeName }) => typeName).join(', ')} is modelled`;
  if (listed !== undefined && policy === 'other')
    return `load_balancing_policy: ${listed.typeName} is not modelled`;
  if (policy === 'other') return `lb_policy: ${lbPolicy} is not modelled`;
  return (ownLocality?.isZoneAware ?? balancing.isZoneAware)
    ? 'zone_aware_lb_config: hosts in the zone of the client are preferred'
    : '';
}

/**
 * States that zone aware routing decides, which needs local_cluster_name of the bootstrap and hosts in more than one zone; locality
 * weights exclude it. Empty if it does not.
 */
export function describeZoneAwareness(
  localCluster: string,
  localities: readonly Pick<LocalityEndpoints, 'locality'>[],
  balancing: ClusterBalancing,
): string {
  const { ownLocality } = envoyPolicyOf(balancing);
  const isWeighted = ownLocality?.isWeighted ?? balancing.isLocalityWeighted;
  if (localCluster === '' || localities.length < 2 || isWeighted) return '';
  return `local_cluster_name: by zone aware routing, shares depend on the hosts of cluster "${localCluster}" in each zone`;
}

function policyOf({ typeName, inner }: LbPolicy): EnvoyPolicy {
  const picking = typeName === wrrLocality ? inner?.find((each) => policyOfType.has(each.typeName)) : null;
  return policyOfType.get(picking?.typeName ?? typeName) ?? 'other';
}

/** RingHash and Maglev have locality_weighted_lb_config outside locality_lb_config. */
function localityConfigOf({ typeName, config }: LbPolicy) {
  const fields = FieldReader.open(config, []);
  const own = fields.object('localityLbConfig');
  return {
    isWeighted:
      typeName === wrrLocality ||
      fields.has('localityWeightedLbConfig') ||
      own?.has('localityWeightedLbConfig') === true,
    failsOnPanic: own?.object('zoneAwareLbConfig')?.boolean('failTrafficOnPanic') ?? false,
    isZoneAware: own?.has('zoneAwareLbConfig') ?? false,
  };
}
