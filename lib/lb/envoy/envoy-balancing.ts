import type { ClusterBalancing } from '../../model/cluster-balancing';
import { type EnvoyPolicy, envoyPolicyOf, findNotModelled } from '../../model/envoy-policy';

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
  /** The settings by which Envoy chooses before or beside the endpoints' weights, and that are not modelled; empty if none. */
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

export function envoyBalancingOf(balancing: ClusterBalancing): EnvoyBalancing {
  const { panicThreshold, healthChecks, outlierDetection } = balancing;
  const { policy, zone, isWeighted } = envoyPolicyOf(balancing);
  return {
    policy,
    panicThreshold: Math.round(panicThreshold ?? usualEnvoyBalancing.panicThreshold),
    failsOnPanic: zone.failsOnPanic,
    isLocalityWeighted: isWeighted,
    detection: {
      isHealthChecked: healthChecks.length > 0,
      maxEjectionPercent:
        outlierDetection?.ejectsOnFailedConnections === true ? outlierDetection.maxEjectionPercent : null,
      alwaysEjectsOne: outlierDetection?.alwaysEjectsOne ?? false,
    },
    notModelled: findNotModelled(balancing).join('; '),
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
