import type { ClusterEntry } from '../../resolve/xds-config';
import type { Profile } from '../../xds/profile';
import { type ChildNumbers, numberChildren } from '../grpc/child-numbers';
import { grpcClientOf } from '../grpc-profile';
import type { FindStanding, LbNode } from './lb-node';
import type { UsedPriority } from './used-priorities';
import type { WriteStyle } from './write-style';

export interface TreeContext {
  readonly profile: Profile;
  readonly style: WriteStyle;
  readonly findCluster: (name: string) => ClusterEntry | undefined;
  readonly findStanding: FindStanding;
  /** Child numbers after the previous update of the cluster; null if this is the first update. */
  readonly findNumbers: (cluster: string) => ChildNumbers | null;
}

/** `policy` is the name without the client's spelling. */
export function addNode(
  { style }: Pick<TreeContext, 'style'>,
  node: Pick<LbNode, 'id' | 'policy'> & Partial<LbNode>,
): LbNode {
  const empty = { name: '', label: '', use: 'used', reason: '' } as const;
  return {
    ...empty,
    facts: [],
    listed: [],
    children: [],
    endpoints: [],
    ...node,
    policy: style.policy(node.policy),
  };
}

export function findLeafNumbers(
  { profile, findNumbers }: TreeContext,
  cluster: string,
  priorities: readonly UsedPriority[],
): readonly number[] {
  const keys = priorities.map((each) => each.keys);
  return numberChildren[grpcClientOf(profile)](findNumbers(cluster), keys).numbers;
}
