import { envoyPolicyOf, findNotModelled } from '../../model/envoy-policy';
import type { LbMetadata } from '../../model/subset';
import { keepChosen } from '../../resolve/choose-for-request';
import { noteOfSubset, withPanic } from '../../resolve/cluster-endpoints';
import { describeEndpointUse } from '../../resolve/endpoint-use';
import { isNoneUsed } from '../../resolve/xds-config';
import { newestOf } from '../../xds/profile';
import { CDS } from '../../xds/resource-type';
import { findDelivered, findOwnEndpoints, isKnownEnvoy } from './add-cluster';
import { formatEndpointCount } from './add-endpoints';
import type { TopologyDraft } from './topology-draft';

interface SubsetOfRequests {
  /** As in "subset of cart: 2 endpoints, 1 unhealthy". */
  readonly detail: string;
  /** Why each of the requests fails; empty if one can succeed. */
  readonly failure: string;
}

/**
 * Describes the hosts that an Envoy chooses by the metadata of requests to a cluster; undefined: it uses all, or which it uses is
 * not known. `criteria`: of the route or TCP proxy.
 */
export function subsetOfRequests(
  { reported }: TopologyDraft,
  name: string,
  criteria: LbMetadata | undefined,
): SubsetOfRequests | undefined {
  const cluster = reported.find(CDS.typeUrl, name);
  if (cluster?.model?.kind !== 'cluster' || reported.setsLbMetadata) return undefined;
  const { discovery, balancing } = cluster.model;
  const { subset } = envoyPolicyOf(balancing);
  if (subset === null || findNotModelled(balancing).length > 0) return undefined;
  const own = findOwnEndpoints(reported, cluster, discovery);
  const assignment = own?.assignment ?? findDelivered(reported, discovery);
  if (assignment === undefined || assignment.lacksMetadata || own?.isDns) return undefined;
  if (!isKnownEnvoy(cluster, assignment)) return undefined;
  const { assignment: chosen, reason } = keepChosen(subset, assignment, criteria, balancing);
  const { use: stated } = describeEndpointUse(chosen, cluster.row, newestOf('envoy'), balancing);
  const use = withPanic(stated, chosen, balancing);
  const note = noteOfSubset(chosen, use);
  return {
    detail: `subset of ${name}: ${formatEndpointCount(chosen)}`,
    failure: isNoneUsed(use)
      ? `no host for its requests to cluster ${name}: ${[reason, note].filter(Boolean).join('; ')}`
      : '',
  };
}
