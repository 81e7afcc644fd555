import type { ConnectionCounts, Connectivity } from '../grpc/connectivity';
import type { PriorityChild } from '../grpc/priority-policy';
import { connectionOf, countConnections, countUnusable, type UnusableCounts } from './connections';
import { type EndpointTable, endpointsOfLocality, localitiesOfPriority } from './endpoint-table';
import { type Loads, sumLoads } from './loads';
import type { SimulatorState } from './simulator-state';

export interface GrpcPriorityView {
  /** null if it has no child, or only one that no cluster in use has. */
  readonly child: PriorityChild | null;
  readonly counts: ConnectionCounts | null;
  /** Why it has no endpoint to connect to. */
  readonly unusable: UnusableCounts | null;
}

export interface GrpcView {
  readonly priorities: readonly GrpcPriorityView[];
  /** Index of the priority whose picker is used; -1 if there is none. */
  readonly chosen: number;
  /** `waiting`: requests are queued; `failing`: requests fail with UNAVAILABLE. */
  readonly outcome: 'served' | 'waiting' | 'failing';
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
  const children: (PriorityChild | null)[] = table.cluster.priorities.map(() => null);
  let chosen = state.policy.chosen;
  if (state.leafPolicies.length === 0)
    state.policy.children.forEach((child, at) => {
      children[at] = child;
    });
  else {
    chosen = -1;
    groups.forEach((members, group) => {
      const leaf = state.leafPolicies[group];
      if (leaf === undefined || !state.policy.children[group]) return;
      members.forEach((priority, at) => {
        children[priority] = leaf.state.children[at] ?? null;
      });
      if (group === state.policy.chosen) chosen = members[leaf.state.chosen] ?? -1;
    });
  }
  const priorities = children.map((child, priority) => {
    const counts = child && countConnections(table, state, priority, child.createdAt, state.second);
    const isEmpty = counts !== null && counts.ready + counts.connecting + counts.failed === 0;
    return { child, counts, unusable: isEmpty ? countUnusable(table, state, priority) : null };
  });
  const live = children[chosen] ?? null;
  const outcome = outcomeOf(live?.state);
  const endpoints = new Float64Array(table.size);
  if (live !== null && outcome === 'served') share(table, state, chosen, live.createdAt, endpoints);
  return { priorities, chosen, outcome, gap: findGap(table, state), loads: sumLoads(table, endpoints) };
}

function findGap(table: EndpointTable, { weights }: SimulatorState): number | null {
  const { priorities, kind } = table.cluster;
  if (kind === 'node') return null;
  const isWeighted = priorities.map((_, priority) => {
    const [first, last] = localitiesOfPriority(table, priority);
    return weights.slice(first, last).some((weight) => weight !== null && weight > 0);
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
 * Section 5.4: READY localities by weight, and the READY endpoints of each in equal shares. The endpoint policy
 * describes rings and policies that weigh by measurements. WRITES into `loads`.
 */
function share(
  table: EndpointTable,
  state: SimulatorState,
  priority: number,
  createdAt: number,
  loads: Float64Array,
): void {
  const { policy } = table.cluster;
  const [first, last] = localitiesOfPriority(table, priority);
  const masses = new Float64Array(last - first);
  let all = 0;
  for (let locality = first; locality < last; locality++) {
    const weight = state.weights[locality] ?? 0;
    const [from, end] = endpointsOfLocality(table, locality);
    let mass = 0;
    for (let at = from; at < end && weight > 0; at++) {
      if (connectionOf(state, at, createdAt, state.second) !== 'ready') continue;
      const own = policy === 'ring_hash' ? (table.weights[at] ?? 1) : 1;
      loads[at] = own;
      mass += own;
      if (policy === 'pick_first') break;
    }
    masses[locality - first] = mass;
    all += policy === 'ring_hash' ? weight * mass : mass > 0 ? weight : 0;
  }
  for (let locality = first; locality < last; locality++) {
    const weight = state.weights[locality] ?? 0;
    const mass = masses[locality - first] ?? 0;
    if (mass === 0) continue;
    const factor = policy === 'ring_hash' ? weight / all : weight / all / mass;
    const [from, end] = endpointsOfLocality(table, locality);
    for (let at = from; at < end; at++) loads[at] = (loads[at] ?? 0) * factor;
  }
}
