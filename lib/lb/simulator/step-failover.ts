import type { Connectivity } from '../grpc/connectivity';
import { aggregateState } from '../grpc/connectivity';
import type { PriorityPolicyState } from '../grpc/priority-policy';
import { beginPriorityPolicy, nextTimer, stepPriorityPolicy } from '../grpc/priority-policy';
import { grpcClientOf } from '../grpc-profile';
import { applyChanges } from './apply-changes';
import type { Change } from './change';
import { countConnections, readySecond } from './connections';
import type { EndpointTable } from './endpoint-table';
import { buildEndpointTable, endpointsOfPriority } from './endpoint-table';
import { pickEndpoints } from './pick-endpoints';
import type { LeafPolicyState, SimulatorState } from './simulator-state';
import { asGrpc, beginSimulation } from './simulator-state';
import type { TrafficCluster } from './traffic-cluster';

export interface Simulation {
  readonly table: EndpointTable;
  /** Indices of the priorities, grouped by priority policy. */
  readonly groups: readonly (readonly number[])[];
}

interface Step {
  readonly state: SimulatorState;
  readonly missed: readonly Change[];
}

export function openSimulation(cluster: TrafficCluster): Simulation {
  return { table: buildEndpointTable(cluster), groups: leafGroups(cluster) };
}

export function initialState({ table, groups }: Simulation): SimulatorState {
  const begun = beginSimulation(table, groups);
  return { ...stepPolicy(table, groups, begun, begun.second), second: 0 };
}

/** The state at `second` after the changes of that second. No other event may be due before it. */
export function stepFailover(
  { table, groups }: Simulation,
  before: SimulatorState,
  second: number,
  changes: readonly Change[],
): Step {
  const { state, missed } = applyChanges(table, before, changes, second);
  return { state: stepPolicy(table, groups, state, second), missed };
}

/** The next second at which a timer expires or a connection is established; null if there is none. */
export function nextSecond({ table, groups }: Simulation, state: SimulatorState): number | null {
  const isNested = state.leafPolicies.length > 0;
  const policies = isNested
    ? [state.policy, ...state.leafPolicies.map((leaf) => leaf.state)]
    : [state.policy];
  let next = Number.POSITIVE_INFINITY;
  for (const policy of policies) next = Math.min(next, nextTimer(policy) ?? next);
  groups.forEach((members, group) => {
    const inner = isNested ? state.leafPolicies[group]?.state : state.policy;
    members.forEach((priority, at) => {
      const child = inner?.children[at];
      if (!child) return;
      const [from, end] = endpointsOfPriority(table, priority);
      for (let endpoint = from; endpoint < end; endpoint++) {
        const ready = readySecond(state, endpoint, child.createdAt);
        if (ready > state.second && ready < next) next = ready;
      }
    });
  });
  return Number.isFinite(next) ? Math.max(next, state.second + 1) : null;
}

/**
 * Indices of the priorities, grouped by priority policy: one group if a single policy has all of them (a leaf
 * cluster; every cluster of Go), else one group for each leaf cluster of the aggregate (gRFC A75).
 */
function leafGroups({ priorities, profile }: TrafficCluster): number[][] {
  const groups: number[][] = [];
  let cluster: string | undefined;
  priorities.forEach((priority, at) => {
    if (priority.isRejected) return;
    const isSame = grpcClientOf(profile) === 'go' || priority.cluster === cluster;
    if (isSame && groups.length > 0) groups.at(-1)?.push(at);
    else groups.push([at]);
    cluster = priority.cluster;
  });
  return groups;
}

/**
 * The policy of gRPC at `now`. For an aggregate, the policy of each leaf cluster is inside the policy of the leaf
 * clusters.
 */
function stepPolicy(
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
function stateOfChosen({ children, chosen }: PriorityPolicyState): Connectivity {
  return children[chosen]?.state ?? 'TRANSIENT_FAILURE';
}
