import type { FieldReader } from './field-reader';
import { type LbPolicy, readLbPolicies } from './lb-policy';
import { type OutlierDetection, readOutlierDetection } from './outlier-detection';

/** What of a cluster decides where its requests go. null: not reported. */
export interface ClusterBalancing {
  /** load_balancing_policy in order of preference; null: lb_policy alone counts. */
  readonly policies: readonly LbPolicy[] | null;
  /** lb_policy by name. */
  readonly lbPolicy: string;
  readonly minimumRingSize: number | null;
  readonly maximumRingSize: number | null;
  /** least_request_lb_config.choice_count. */
  readonly choiceCount: number | null;
  /** circuit_breakers: max_requests of every threshold of priority DEFAULT, in their order. */
  readonly maxRequests: readonly (number | null)[];
  readonly outlierDetection: OutlierDetection | null;
  /** common_lb_config.healthy_panic_threshold, per cent; 0 is off. */
  readonly panicThreshold: number | null;
  /** common_lb_config.locality_weighted_lb_config: Envoy weighs localities for it, or for a policy that does. */
  readonly isLocalityWeighted: boolean;
  /** lrs_server: it reports its load. */
  readonly reportsLoad: boolean;
}

export function readClusterBalancing(cluster: FieldReader): ClusterBalancing {
  const policy = cluster.object('loadBalancingPolicy');
  const common = cluster.object('commonLbConfig');
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
    reportsLoad: cluster.has('lrsServer'),
  };
}

/** A Percent that is there and says nothing is 0: proto3 does not write it. null: there is none. */
function readPercentage(percent: FieldReader | null | undefined): number | null {
  return percent === null || percent === undefined ? null : (percent.number('value') ?? 0);
}
