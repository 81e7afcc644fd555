import { aggregateState, type Connectivity } from '../grpc/connectivity';
import { beginPriorityPolicy, type PriorityPolicyState, stepPriorityPolicy } from '../grpc/priority-policy';
import { grpcClientOf } from '../grpc-profile';
import { countConnections } from './connections';
import type { EndpointTable } from './endpoint-table';
import { pickEndpoints } from './pick-endpoints';
import { asGrpc, type LeafPolicyState, type SimulatorState } from './simulator-state';

/**
 * The policy of gRPC at `now`. For an aggregate, the policy of each leaf cluster is inside the policy of the leaf
 * clusters.
 */
export function stepPolicy(
  table: EndpointTable,
  groups: readonly (readonly number[])[],
  state: SimulatorState,
  now: number,
): SimulatorState {
  const { cluster } = table;
  const used = asGrpc(state);
  const client = grpcClientOf(cluster.profile);
  const report = (priority: number, createdAt: number): Connectivity => {
    const counts = countConnections(table, used, priority, createdAt, now);
    const { policy, isByLocality } = cluster.priorities[priority] ?? {};
    return aggregateState(counts, policy === 'ring_hash' && isByLocality === false ? 'ring_hash' : 'any');
  };
  if (state.leafPolicies.length === 0) {
    const policy = stepPriorityPolicy(
      state.policy,
      (at, since) => report(groups[0]?.[at] ?? 0, since),
      now,
      client,
    );
    return pickEndpoints(table, groups, { ...state, second: now, policy });
  }
  const leafPolicies: LeafPolicyState[] = [...state.leafPolicies];
  const reportLeaf = (group: number, createdAt: number): Connectivity => {
    const members = groups[group] ?? [];
    const known = leafPolicies[group];
    const before = known?.createdAt === createdAt ? known.state : beginPriorityPolicy(members.length);
    const inner = stepPriorityPolicy(before, (at, since) => report(members[at] ?? 0, since), now, client);
    leafPolicies[group] = { createdAt, state: inner };
    return stateOfChosen(inner);
  };
  const policy = stepPriorityPolicy(state.policy, reportLeaf, now, client);
  return pickEndpoints(table, groups, { ...state, second: now, policy, leafPolicies });
}

/** The state that the policy itself reports. Without priorities it fails. */
export function stateOfChosen({ children, chosen }: PriorityPolicyState): Connectivity {
  return children[chosen]?.state ?? 'TRANSIENT_FAILURE';
}
