import type { ConnectionCounts, Connectivity } from '../grpc/connectivity';
import type { PriorityChild } from '../grpc/priority-policy';
import { grpcClientOf, waitsForEndpoints } from '../grpc-profile';
import { connectionOf, countConnections, countUnusable, type UnusableCounts } from './connections';
import { type EndpointTable, endpointsOfLocality, localitiesOfPriority } from './endpoint-table';
import { type Loads, sumLoads } from './loads';
import { childrenOf } from './pick-endpoints';
import { asGrpc, type SimulatorState } from './simulator-state';

export interface GrpcPriorityView {
  /** null if it has no child, or only one that no cluster in use has. */
  readonly child: PriorityChild | null;
  readonly counts: ConnectionCounts | null;
  /** The number of endpoints for each reason why it has no endpoint to connect to. */
  readonly unusable: UnusableCounts | null;
}

export interface GrpcView {
  readonly priorities: readonly GrpcPriorityView[];
  /** Index of the priority whose picker is used; -1 if there is none. */
  readonly chosen: number;
  /** `waiting`: requests are queued; `failing`: requests fail with UNAVAILABLE. */
  readonly outcome: 'served' | 'waiting' | 'failing';
  /** True if endpoints are used that EDS no longer has (SimulatorState.held). */
  readonly isHeld: boolean;
  /**
   * Rule E9: a priority without a weighted locality before one that has one; null if there is none. Always null for
   * Node, which keeps it.
   */
  readonly gap: number | null;
  readonly loads: Loads;
}

export function viewGrpc(
  table: EndpointTable,
  groups: readonly (readonly number[])[],
  state: SimulatorState,
): GrpcView {
  const used = asGrpc(state);
  const children = childrenOf(table, groups, state);
  const priorities = children.map((child, priority) => {
    const counts = child && countConnections(table, used, priority, child.createdAt, state.second);
    const isEmpty = counts !== null && counts.ready + counts.connecting + counts.failed === 0;
    return { child, counts, unusable: isEmpty ? countUnusable(table, used, priority) : null };
  });
  const { unused, profile } = table.cluster;
  const chosen = unused === null ? findChosen(groups, state) : -1;
  const live = children[chosen] ?? null;
  const withoutEndpoints = priorities.every(({ unusable }) => unusable !== null);
  const waits = withoutEndpoints && waitsForEndpoints(profile);
  const outcome = unused?.outcome ?? (waits ? 'waiting' : outcomeOf(live?.state));
  const endpoints = new Float64Array(table.size);
  if (live !== null && outcome === 'served') share(table, used, chosen, live.createdAt, endpoints);
  const isHeld = state.held !== null;
  return {
    priorities,
    chosen,
    outcome,
    isHeld,
    gap: findGap(table, state),
    loads: sumLoads(table, endpoints),
  };
}

/** Index of the priority whose picker is used. */
function findChosen(
  groups: readonly (readonly number[])[],
  { policy, leafPolicies }: SimulatorState,
): number {
  const leaf = leafPolicies[policy.chosen];
  if (leafPolicies.length === 0) return groups[0]?.[policy.chosen] ?? -1;
  return leaf === undefined ? -1 : (groups[policy.chosen]?.[leaf.state.chosen] ?? -1);
}

function findGap(table: EndpointTable, { weights }: SimulatorState): number | null {
  const { priorities, profile } = table.cluster;
  if (grpcClientOf(profile) === 'node') return null;
  const isWeighted = priorities.map((_, priority) => {
    const [first, last] = localitiesOfPriority(table, priority);
    return weights.slice(first, last).some((weight) => weight !== undefined && weight > 0);
  });
  const at = priorities.findIndex(
    ({ cluster }, place) =>
      !isWeighted[place] &&
      priorities.some((other, later) => later > place && other.cluster === cluster && isWeighted[later]),
  );
  return at < 0 ? null : at;
}

function outcomeOf(state: Connectivity | undefined): GrpcView['outcome'] {
  if (state === 'READY') return 'served';
  return state === undefined || state === 'TRANSIENT_FAILURE' ? 'failing' : 'waiting';
}

/**
 * Section 5.4: with wrr_locality, READY localities share requests by weight; without it, the policy is over all
 * endpoints of the priority, and only ring_hash reads the weights of localities. The endpoint policy describes rings
 * and policies that weigh by measurements. WRITES into `loads`.
 */
function share(
  table: EndpointTable,
  state: SimulatorState,
  priority: number,
  createdAt: number,
  loads: Float64Array,
): void {
  const { policy, isByLocality } = table.cluster.priorities[priority] ?? {
    policy: 'other',
    isByLocality: false,
  };
  const [first, last] = localitiesOfPriority(table, priority);
  const masses = new Float64Array(last - first);
  for (let locality = first; locality < last; locality++) {
    const weight = state.weights[locality] ?? 0;
    if (weight === 0) continue;
    const [from, end] = endpointsOfLocality(table, locality);
    const picked = state.picked[isByLocality ? locality : first] ?? -1;
    for (let at = from; at < end; at++) {
      if (connectionOf(state, at, createdAt, state.second) !== 'ready') continue;
      if (policy === 'pick_first' && at !== picked) continue;
      const own = policy === 'ring_hash' ? (table.weights[at] ?? 1) * (isByLocality ? 1 : weight) : 1;
      loads[at] = own;
      masses[locality - first] = (masses[locality - first] ?? 0) + own;
    }
  }
  const sizes = masses.map((mass, at) =>
    isByLocality ? (mass > 0 ? (state.weights[first + at] ?? 0) : 0) : mass,
  );
  const all = sizes.reduce((sum, size) => sum + size, 0);
  masses.forEach((mass, at) => {
    if (mass === 0) return;
    const factor = (sizes[at] ?? 0) / all / mass;
    const [from, end] = endpointsOfLocality(table, first + at);
    for (let endpoint = from; endpoint < end; endpoint++) loads[endpoint] = (loads[endpoint] ?? 0) * factor;
  });
}
