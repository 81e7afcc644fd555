import type { JsonObject } from '../../diff/json-object';
import type { ClusterBalancing } from '../../model/cluster-balancing';
import type { LbPolicy } from '../../model/lb-policy';
import type { ClusterConfig } from '../../resolve/xds-config';
import {
  isSupportedPolicy,
  policyListReaders,
  registered,
  supportsLeastRequest,
} from '../../validate/cluster/known-policies';
import type { Profile } from '../../xds/profile';
import { grpcClientOf } from '../grpc-profile';
import { describeCustomPolicy, describePolicy, type PolicyDescription } from './describe-policy';
import type { ListedPolicy } from './lb-node';

export interface ChosenPolicy extends PolicyDescription {
  /** A policy of the application. Its config is passed on unchanged. */
  readonly isCustom?: boolean;
  /** True if it weighs localities. Its child is then weighted_target, with `inner` for each locality. */
  readonly isLocalityPolicy: boolean;
  readonly inner: PolicyChoice | null;
  /** Fields of its config without inner policies. */
  readonly config: JsonObject;
}

export interface PolicyChoice {
  /** null if the client would reject the cluster. */
  readonly chosen: ChosenPolicy | null;
  /** Empty if only lb_policy was reported. */
  readonly listed: readonly ListedPolicy[];
  /** The reason why there is no policy; else empty. */
  readonly problem: string;
}

const extension = 'envoy.extensions.load_balancing_policies.';
const wrrLocality = `${extension}wrr_locality.v3.WrrLocality`;

/** gRFC A52: maximum nesting depth of lists. */
const maxDepth = 16;

/** Rules C5 and C6: load_balancing_policy supersedes lb_policy, and the first supported policy is used. */
export function choosePolicy(balancing: ClusterBalancing, profile: Profile): PolicyChoice {
  return balancing.policies === undefined || !policyListReaders.includes(profile)
    ? chooseByEnum(balancing, profile)
    : chooseFromList(balancing.policies, profile, 1);
}

/** Returns why the client rejects the cluster; empty if it has a policy. */
export function whyRejected({ balancing, children }: ClusterConfig, profile: Profile): string {
  if (grpcClientOf(profile) === 'node' && children.kind === 'dns') return '';
  const { chosen, problem } = choosePolicy(balancing, profile);
  const hasPolicy = chosen !== null && (chosen.inner === null || chosen.inner.chosen !== null);
  return hasPolicy ? '' : `the client rejects the cluster: ${problem}`;
}

/** Returns why the client rejects a leaf of an aggregate. Go uses the policy of the aggregate for all leaves. */
export function whyLeafRejected(config: ClusterConfig, profile: Profile): string {
  return grpcClientOf(profile) === 'go' ? '' : whyRejected(config, profile);
}

function chooseFromList(policies: readonly LbPolicy[], profile: Profile, depth: number): PolicyChoice {
  if (depth > maxDepth) return { chosen: null, listed: [], problem: 'policies nest deeper than 16 levels' };
  const at = findChosen(policies, profile);
  const listed = policies.map(({ typeName, isCustom }, index): ListedPolicy => {
    const name = typeName || 'nothing';
    if (index === at) return { typeName: name, use: 'used', reason: '' };
    const isLater = at >= 0 && index > at;
    return {
      typeName: name,
      use: 'ignored',
      reason: isLater ? 'an earlier policy is used' : lacks(isCustom),
    };
  });
  const policy = policies[at];
  if (policy === undefined) return { chosen: null, listed, problem: 'it supports no policy in the list' };
  const inner =
    policy.typeName === wrrLocality ? chooseFromList(policy.inner ?? [], profile, depth + 1) : null;
  const chosen = {
    ...(policy.isCustom
      ? describeCustomPolicy(policy.typeName)
      : describePolicy(policy.typeName, policy.config)),
    isCustom: policy.isCustom,
    isLocalityPolicy: policy.typeName === wrrLocality,
    inner,
  };
  const config = policy.isCustom ? policy.config : chosen.config;
  return { chosen: { ...chosen, config }, listed, problem: inner?.problem ?? '' };
}

/**
 * Index of the policy that the client uses. A client that supports no policy of the list rejects the cluster; so if
 * the list has no supported policy, the client must have registered a custom one, and the first custom policy is
 * assumed.
 */
function findChosen(policies: readonly LbPolicy[], profile: Profile): number {
  const at = policies.findIndex(({ typeName, isCustom }) =>
    isCustom ? registered[grpcClientOf(profile)].has(typeName) : isSupportedPolicy(typeName, profile),
  );
  return at >= 0 ? at : policies.findIndex(({ isCustom }) => isCustom);
}

function lacks(isCustom: boolean): string {
  return isCustom
    ? 'a custom policy, assumed not to be registered by the application'
    : 'not a policy that the client supports';
}

function chooseByEnum(balancing: ClusterBalancing, profile: Profile): PolicyChoice {
  const { lbPolicy, minimumRingSize, maximumRingSize, choiceCount } = balancing;
  const leaf = (typeName: string, config: JsonObject): PolicyChoice => ({
    chosen: { ...describePolicy(`${extension}${typeName}`, config), isLocalityPolicy: false, inner: null },
    listed: [],
    problem: '',
  });
  const byLocality = (inner: PolicyChoice): PolicyChoice => ({
    chosen: { ...describePolicy(wrrLocality, {}), isLocalityPolicy: true, inner },
    listed: [],
    problem: '',
  });
  switch (lbPolicy) {
    case 'ROUND_ROBIN':
      return byLocality(leaf('round_robin.v3.RoundRobin', {}));
    case 'RING_HASH':
      return leaf('ring_hash.v3.RingHash', { minimumRingSize, maximumRingSize });
    case 'LEAST_REQUEST': {
      const policy = leaf('least_request.v3.LeastRequest', { choiceCount });
      if (supportsLeastRequest(profile))
        return grpcClientOf(profile) === 'java' ? byLocality(policy) : policy;
      return { chosen: null, listed: [], problem: 'the client does not support LEAST_REQUEST (rule C6)' };
    }
    default:
      return { chosen: null, listed: [], problem: `gRPC has no lb_policy ${lbPolicy} (rule C6)` };
  }
}
