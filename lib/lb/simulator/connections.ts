import type { ConnectionCounts } from '../grpc/connectivity';
import { slowConnectSeconds } from './apply-changes';
import { conditionCode, endpointConditions } from './endpoint-condition';
import { type EndpointTable, endpointsOfLocality, localitiesOfPriority } from './endpoint-table';
import type { SimulatorState } from './simulator-state';

type Connection = 'ready' | 'connecting' | 'failed';

/**
 * Connectivity state of one endpoint for a child that began to connect at `createdAt`; null if gRPC does not connect
 * to it.
 */
export function connectionOf(
  state: SimulatorState,
  endpoint: number,
  createdAt: number,
  now: number,
): Connection | null {
  const code = state.conditions[endpoint];
  if (code === conditionCode.dead) return 'failed';
  if (code !== conditionCode.healthy && code !== conditionCode.slow) return null;
  if (readySecond(state, endpoint, createdAt) <= now) return 'ready';
  const isFresh = createdAt >= (state.changedAt[endpoint] ?? 0);
  return !isFresh && (state.failsUntil[endpoint] ?? 0) > now ? 'failed' : 'connecting';
}

/** The second at which the connection is or was established; Infinity if never. */
export function readySecond(state: SimulatorState, endpoint: number, createdAt: number): number {
  const code = state.conditions[endpoint];
  // A child created later starts without the back-off of an earlier one.
  if (createdAt < (state.changedAt[endpoint] ?? 0))
    return state.readyAt[endpoint] ?? Number.POSITIVE_INFINITY;
  if (code === conditionCode.healthy) return createdAt;
  return code === conditionCode.slow ? createdAt + slowConnectSeconds : Number.POSITIVE_INFINITY;
}

export interface UnusableCounts {
  readonly total: number;
  readonly unweighted: number;
  readonly unhealthy: number;
  readonly draining: number;
  readonly degraded: number;
}

export function countUnusable(table: EndpointTable, state: SimulatorState, priority: number): UnusableCounts {
  const counts = { total: 0, unweighted: 0, unhealthy: 0, draining: 0, degraded: 0 };
  const [first, last] = localitiesOfPriority(table, priority);
  for (let locality = first; locality < last; locality++) {
    const [from, end] = endpointsOfLocality(table, locality);
    counts.total += end - from;
    if (!state.weights[locality]) counts.unweighted += end - from;
    else
      for (let at = from; at < end; at++) {
        const condition = endpointConditions[state.conditions[at] ?? 0];
        if (condition === 'unhealthy' || condition === 'draining' || condition === 'degraded')
          counts[condition] += 1;
      }
  }
  return counts;
}

/** Rule E2: a locality without weight has no connections. */
export function countConnections(
  table: EndpointTable,
  state: SimulatorState,
  priority: number,
  createdAt: number,
  now: number,
): ConnectionCounts {
  let [ready, connecting, failed] = [0, 0, 0];
  const [first, last] = localitiesOfPriority(table, priority);
  for (let locality = first; locality < last; locality++) {
    if (!state.weights[locality]) continue;
    const [from, end] = endpointsOfLocality(table, locality);
    for (let at = from; at < end; at++) {
      const connection = connectionOf(state, at, createdAt, now);
      if (connection === 'ready') ready += 1;
      else if (connection === 'connecting') connecting += 1;
      else if (connection === 'failed') failed += 1;
    }
  }
  return { ready, connecting, failed };
}
