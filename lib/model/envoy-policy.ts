import type { ClusterBalancing } from './cluster-balancing';
import { FieldReader } from './field-reader';
import type { LbPolicy } from './lb-policy';
import { readSubsetConfig, type SubsetConfig } from './subset';
import { readZoneConfig, type ZoneConfig } from './zone-config';

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
const subsetType = `${extension}subset.v3.Subset`;

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
  [subsetType, 'other'],
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

/** How Envoy chooses an endpoint. */
interface EnvoyChoice {
  readonly policy: EnvoyPolicy;
  /** The entry of load_balancing_policy; undefined if lb_policy decides. */
  readonly listed: LbPolicy | undefined;
  /** True if the weights of localities count. */
  readonly isWeighted: boolean;
  readonly zone: ZoneConfig;
  readonly subset: SubsetConfig | null;
}

/** Section 5.6. load_balancing_policy supersedes lb_policy; its first policy that Envoy has registered is used. */
export function envoyPolicyOf(balancing: ClusterBalancing): EnvoyChoice {
  const { policies, lbPolicy, subset, zone, isLocalityWeighted } = balancing;
  const listed = findRegistered(policies);
  if (listed === undefined) {
    const policy = policyOfEnum.get(lbPolicy) ?? 'other';
    return { policy, listed, isWeighted: isLocalityWeighted && isWeightAware(subset), zone, subset };
  }
  if (listed.typeName !== subsetType)
    return { policy: policyOf(listed), listed, ...localityConfigOf(listed), subset: null };
  const ofHosts = findRegistered(listed.inner);
  const own = readSubsetConfig(FieldReader.open(listed.config, []));
  const { isWeighted, zone: ownZone } = localityConfigOf(ofHosts ?? listed);
  return {
    ...{ policy: ofHosts === undefined ? 'other' : policyOf(ofHosts), listed, subset: own, zone: ownZone },
    isWeighted: isWeighted && isWeightAware(own),
  };
}

function isWeightAware(subset: SubsetConfig | null): boolean {
  return subset === null || subset.isLocalityWeightAware;
}

function findRegistered(policies: readonly LbPolicy[] | undefined): LbPolicy | undefined {
  return policies?.find(({ typeName, isCustom }) => !isCustom && policyOfType.has(typeName));
}

/** The settings by which Envoy chooses before or beside the endpoints' weights, and that are not modelled, as phrases. */
export function findNotModelled(balancing: ClusterBalancing): string[] {
  const { policies, lbPolicy } = balancing;
  const { policy, listed, subset } = envoyPolicyOf(balancing);
  const ofSubsets = (subset?.notModelled ?? []).map((field) => `lb_subset_config: ${field} is not modelled`);
  if (policies !== undefined && listed === undefined)
    return [
      ...ofSubsets,
      `load_balancing_policy: none of ${policies.map(({ typeName }) => typeName).join(', ')} is modelled`,
    ];
  if (policy !== 'other') return ofSubsets;
  const setting =
    listed === undefined ? `lb_policy: ${lbPolicy}` : `load_balancing_policy: ${listed.typeName}`;
  return [...ofSubsets, `${setting} is not modelled`];
}

/** States that the endpoints depend on the route; empty if they do not. */
export function describeSubsets(balancing: ClusterBalancing): string {
  const { subset } = envoyPolicyOf(balancing);
  return subset === null
    ? ''
    : `lb_subset_config: the metadata of each route and request selects a subset of the hosts (fallback policy ${subset.fallback})`;
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
    zone: readZoneConfig(own?.object('zoneAwareLbConfig')),
  };
}
