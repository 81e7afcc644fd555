import type { ClusterBalancing } from '../../model/cluster-balancing';
import { FieldReader } from '../../model/field-reader';
import type { LbPolicy } from '../../model/lb-policy';

/** The policy by which Envoy chooses an endpoint of a priority. `other` is a policy whose shares are not known. */
type EnvoyPolicy =
  | 'round_robin'
  | 'least_request'
  | 'random'
  | 'ring_hash'
  | 'maglev'
  | 'client_side_weighted_round_robin'
  | 'other';

/** The means by which Envoy finds out that an endpoint rejects connections. */
export interface FailureDetection {
  readonly isHealthChecked: boolean;
  /** The percentage of the hosts of the cluster that outlier detection ejects at most; null if it ejects none. */
  readonly maxEjectionPercent: number | null;
  readonly alwaysEjectsOne: boolean;
}

/** The fields of a cluster that decide where Envoy's requests go. */
export interface EnvoyBalancing {
  readonly policy: EnvoyPolicy;
  /** Whole per cent; 50 if unset. */
  readonly panicThreshold: number;
  /** In panic, all requests of the priority are answered with 503. */
  readonly failsOnPanic: boolean;
  /** True if localities are weighted. If not, Envoy picks among all endpoints of a priority. */
  readonly isLocalityWeighted: boolean;
  readonly detection: FailureDetection;
  /** A setting by which Envoy chooses before or beside the endpoints' weights, and that is not modelled; empty if none. */
  readonly notModelled: string;
}

export const usualEnvoyBalancing: EnvoyBalancing = {
  policy: 'round_robin',
  panicThreshold: 50,
  failsOnPanic: false,
  isLocalityWeighted: false,
  detection: { isHealthChecked: false, maxEjectionPercent: null, alwaysEjectsOne: false },
  notModelled: '',
};

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
export function envoyBalancingOf(balancing: ClusterBalancing): EnvoyBalancing {
  const { policies, lbPolicy, panicThreshold, isHealthChecked, outlierDetection } = balancing;
  const listed = policies?.find(({ typeName, isCustom }) => !isCustom && policyOfType.has(typeName));
  const own = listed && localityConfigOf(listed);
  return {
    policy: listed === undefined ? (policyOfEnum.get(lbPolicy) ?? 'other') : policyOf(listed),
    panicThreshold: Math.round(panicThreshold ?? usualEnvoyBalancing.panicThreshold),
    failsOnPanic: own?.failsOnPanic ?? balancing.failsOnPanic,
    isLocalityWeighted: own?.isWeighted ?? balancing.isLocalityWeighted,
    detection: {
      isHealthChecked,
      maxEjectionPercent:
        outlierDetection?.ejectsOnFailedConnections === true ? outlierDetection.maxEjectionPercent : null,
      alwaysEjectsOne: outlierDetection?.alwaysEjectsOne ?? false,
    },
    notModelled: whyNotModelled(balancing, listed, own?.isZoneAware ?? balancing.isZoneAware),
  };
}

function whyNotModelled(
  { policies, lbPolicy, subsetFallback }: ClusterBalancing,
  listed: LbPolicy | undefined,
  isZoneAware: boolean,
): string {
  if (subsetFallback !== null)
    return `lb_subset_config: the metadata of each route and request selects a subset of the hosts (fallback policy ${subsetFallback})`;
  const policy = listed === undefined ? policyOfEnum.get(lbPolicy) : policyOf(listed);
  if (policies !== undefined && listed === undefined)
    return `load_balancing_policy: none of ${policies.map(({ typeName }) => typeName).join(', ')} is modelled`;
  if (policy === undefined || policy === 'other')
    return `the load balancing policy ${listed?.typeName ?? lbPolicy} is not modelled`;
  return isZoneAware ? 'zone_aware_lb_config: hosts in the zone of the client are preferred' : '';
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

/**
 * Returns how many of the hosts of a cluster that reject connections Envoy stops using in the end. Outlier detection
 * ejects a host only if the ejected ones stay within max_ejection_percent, 10 by default: none of fewer than 10
 * hosts.
 */
export function mostDetected(
  { isHealthChecked, maxEjectionPercent, alwaysEjectsOne }: FailureDetection,
  hosts: number,
): number {
  if (isHealthChecked) return hosts;
  if (maxEjectionPercent === null) return 0;
  const within = Math.floor((Math.min(100, maxEjectionPercent) * hosts) / 100);
  return Math.max(within, alwaysEjectsOne ? 1 : 0);
}

/** Returns why real shares differ from those by weight; empty if they do not. */
export function whyApproximate(policy: EnvoyPolicy, hasWeights: boolean): string {
  switch (policy) {
    case 'round_robin':
    case 'random':
      return '';
    case 'least_request':
      return hasWeights
        ? 'LEAST_REQUEST with weights: the shares of endpoints are approximate, because active requests reduce the weight of an endpoint'
        : '';
    case 'ring_hash':
    case 'maglev':
      return 'the endpoint is chosen by the hash of a request: its share of all requests is approximate';
    case 'client_side_weighted_round_robin':
      return 'endpoints are weighted by the utilization that they report, which is not known here: shares are those of endpoints without a report';
    case 'other':
      return 'the shares of this load balancing policy are not known: those of ROUND_ROBIN are shown';
  }
}
