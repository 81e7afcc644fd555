import { type ClusterBalancing, leastHostsForZones, usualMinClusterSize } from './cluster-balancing';
import type { LoadAssignment } from './endpoints';
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

/**
 * A setting by which Envoy chooses before or beside the endpoints' weights, and that is not modelled; empty if none. Zone aware
 * routing is not among them: see describeZoneAwareness().
 */
export function whyNotModelled(balancing: ClusterBalancing): string {
  const { policies, lbPolicy, subsetFallback } = balancing;
  const { policy, listed } = envoyPolicyOf(balancing);
  if (subsetFallback !== null)
    return `lb_subset_config: the metadata of each route and request selects a subset of the hosts (fallback policy ${subsetFallback})`;
  if (policies !== undefined && listed === undefined)
    return `load_balancing_policy: none of ${policies.map(({ typeName }) => typeName).join(', ')} is modelled`;
  if (listed !== undefined && policy === 'other')
    return `load_balancing_policy: ${listed.typeName} is not modelled`;
  return policy === 'other' ? `lb_policy: ${lbPolicy} is not modelled` : '';
}

interface Zones {
  /** The endpoints; null if there are none. */
  readonly assignment: LoadAssignment | null | undefined;
  /** Set if they are DNS names, each of which can stand for several hosts. */
  readonly areNames?: boolean;
  /** local_cluster_name of the bootstrap, without which Envoy does not route by zones; undefined if it is not known. */
  readonly localCluster: string | undefined;
}

/**
 * States that zone aware routing can decide. It needs hosts of P0 in two zones, and min_cluster_size healthy ones: Envoy's docs,
 * "Zone aware routing", "The upstream cluster has enough hosts"; measured with 1.36.2 and 1.40.0. Locality weights exclude it.
 * Empty if it cannot decide: fewer hosts than min_cluster_size are never enough healthy ones.
 */
export function describeZoneAwareness(
  balancing: ClusterBalancing,
  { assignment, areNames = false, localCluster }: Zones,
): string {
  const { ownLocality } = envoyPolicyOf(balancing);
  const { isWeighted, minClusterSize } = ownLocality ?? {
    isWeighted: balancing.isLocalityWeighted,
    minClusterSize: balancing.minClusterSize,
  };
  const first = assignment?.priorities.find(({ priority }) => priority === 0);
  const zones = (first?.localities ?? []).filter(
    ({ endpoints, ledsCollection }) => endpoints.length > 0 || ledsCollection !== '',
  );
  const areCounted = !areNames && zones.every(({ ledsCollection }) => ledsCollection === '');
  const isSmall =
    areCounted &&
    zones.flatMap(({ endpoints }) => endpoints).length < (minClusterSize ?? usualMinClusterSize);
  if (isWeighted || zones.length < 2 || isSmall) return '';
  if (localCluster === undefined)
    return minClusterSize === null
      ? ''
      : 'zone_aware_lb_config: hosts in the zone of the client are preferred, if its bootstrap has a local_cluster_name';
  return localCluster === ''
    ? ''
    : `local_cluster_name: by zone aware routing, shares depend on the hosts of cluster "${localCluster}" in each zone`;
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
    minClusterSize: leastHostsForZones(own),
  };
}
