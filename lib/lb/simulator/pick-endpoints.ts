import type { PriorityChild } from '../grpc/priority-policy';
import { connectionOf } from './connections';
import { type EndpointTable, endpointsOfLocality, localitiesOfPriority } from './endpoint-table';
import { asGrpc, type SimulatorState } from './simulator-state';

/** Children of the priorities. null for one that was not created, or that no cluster in use has. */
export function childrenOf(
  { cluster }: EndpointTable,
  groups: readonly (readonly number[])[],
  { policy, leafPolicies }: SimulatorState,
): (PriorityChild | null)[] {
  const children: (PriorityChild | null)[] = cluster.priorities.map(() => null);
  groups.forEach((members, group) => {
    const isNested = leafPolicies.length > 0;
    if (isNested && !policy.children[group]) return;
    const own = isNested ? leafPolicies[group]?.state : policy;
    members.forEach((priority, at) => {
      children[priority] = own?.children[at] ?? null;
    });
  });
  return children;
}

/** pick_first keeps its endpoint as long as it is connected; else it takes the first that is. */
export function pickEndpoints(
  table: EndpointTable,
  groups: readonly (readonly number[])[],
  state: SimulatorState,
): SimulatorState {
  const { priorities } = table.cluster;
  if (!priorities.some(({ policy }) => policy === 'pick_first')) return state;
  const children = childrenOf(table, groups, state);
  const used = asGrpc(state);
  const picked = new Int32Array(table.localities.length).fill(-1);
  priorities.forEach(({ policy, isByLocality }, priority) => {
    const child = children[priority] ?? null;
    if (policy !== 'pick_first' || child === null) return;
    const isReady = (at: number): boolean =>
      connectionOf(used, at, child.createdAt, state.second) === 'ready';
    const [first, last] = localitiesOfPriority(table, priority);
    for (let locality = first; locality < last; locality = isByLocality ? locality + 1 : last) {
      const end = isByLocality ? locality + 1 : last;
      const before = state.picked[locality] ?? -1;
      picked[locality] =
        before >= 0 && isReady(before) ? before : firstReady(table, used, locality, end, isReady);
    }
  });
  return { ...state, picked };
}

function firstReady(
  table: EndpointTable,
  { weights }: SimulatorState,
  first: number,
  last: number,
  isReady: (endpoint: number) => boolean,
): number {
  for (let locality = first; locality < last; locality++) {
    if (!weights[locality]) continue;
    const [from, end] = endpointsOfLocality(table, locality);
    for (let at = from; at < end; at++) if (isReady(at)) return at;
  }
  return -1;
}
