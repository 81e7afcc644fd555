import type { FieldReader } from './field-reader';
import { readHealthChecks } from './health-checks';
import { type LbPolicy, readLbPolicies } from './lb-policy';
import { type OutlierDetection, readOutlierDetection } from './outlier-detection';
import { readSubsetConfig, type SubsetConfig } from './subset';
import { readZoneConfig, type ZoneConfig } from './zone-config';

/** The fields of a cluster that decide where requests go. null means not reported. */
export interface ClusterBalancing {
  /** load_balancing_policy in order of preference; absent if only lb_policy is set. */
  readonly policies?: readonly LbPolicy[] | undefined;
  /** The name of the lb_policy enum value. */
  readonly lbPolicy: string;
  readonly minimumRingSize: number | null;
  readonly maximumRingSize: number | null;
  /** least_request_lb_config.choice_count. */
  readonly choiceCount: number | null;
  /** circuit_breakers: max_requests of every threshold of priority DEFAULT, in order. */
  readonly maxRequests: readonly (number | undefined)[];
  readonly outlierDetection: OutlierDetection | null;
  /** common_lb_config.healthy_panic_threshold in per cent; 0 disables panic. */
  readonly panicThreshold: number | null;
  /** common_lb_config.locality_weighted_lb_config. Envoy weighs localities if it is set, or if the policy does. */
  readonly isLocalityWeighted: boolean;
  /** common_lb_config.zone_aware_lb_config. */
  readonly zone: ZoneConfig;
  /** lb_subset_config; null if there are no subsets. load_balancing_policy supersedes it. */
  readonly subset: SubsetConfig | null;
  /** See readHealthChecks(). */
  readonly healthChecks: readonly string[];
  /** True if lrs_server is set. */
  readonly reportsLoad: boolean;
}

/** healthy_panic_threshold of a cluster that does not state it, in per cent. */
export const usualPanicThreshold = 50;

export function readClusterBalancing(cluster: FieldReader): ClusterBalancing {
  const policy = cluster.object('loadBalancingPolicy');
  const common = cluster.object('commonLbConfig');
  const subset = cluster.object('lbSubsetConfig');
  const ring = cluster.object('ringHashLbConfig');
  const thresholds = cluster.object('circuitBreakers')?.objects('thresholds') ?? [];
  return {
    policies: policy && readLbPolicies(policy),
    lbPolicy: cluster.enumName('lbPolicy', 'ROUND_ROBIN'),
    minimumRingSize: ring?.number('minimumRingSize') ?? null,
    maximumRingSize: ring?.number('maximumRingSize') ?? null,
    choiceCount: cluster.object('leastRequestLbConfig')?.number('choiceCount') ?? null,
    maxRequests: thresholds
      .filter((threshold) => threshold.enumName('priority', 'DEFAULT') === 'DEFAULT')
      .map((threshold) => threshold.number('maxRequests')),
    outlierDetection: readOutlierDetection(cluster.object('outlierDetection')),
    panicThreshold: readPercentage(common?.object('healthyPanicThreshold')),
    isLocalityWeighted: common?.has('localityWeightedLbConfig') ?? false,
    zone: readZoneConfig(common?.object('zoneAwareLbConfig')),
    subset: policy === undefined && subset !== undefined ? readSubsetConfig(subset) : null,
    healthChecks: readHealthChecks(cluster),
    reportsLoad: cluster.has('lrsServer'),
  };
}

/** A Percent without a value is 0, because proto3 does not write zeros. undefined if there is no Percent. */
function readPercentage(percent: FieldReader | undefined): number | null {
  return percent === undefined ? null : (percent.number('value') ?? 0);
}
