import { nextTimer } from '../grpc/priority-policy';
import { grpcClientOf } from '../grpc-profile';
import { applyChanges } from './apply-changes';
import type { Change } from './change';
import { readySecond } from './connections';
import { buildEndpointTable, type EndpointTable, endpointsOfPriority } from './endpoint-table';
import { beginSimulation, type SimulatorState } from './simulator-state';
import { stepPolicy } from './step-policy';
import type { TrafficCluster } from './traffic-cluster';

export interface Simulation {
  readonly table: EndpointTable;
  /** Indices of the priorities, grouped by priority policy. */
  readonly groups: readonly (readonly number[])[];
}

export interface Step {
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
