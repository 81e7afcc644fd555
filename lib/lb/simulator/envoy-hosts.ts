import { mostDetected } from '../envoy/envoy-balancing';
import type { HostCounts } from '../envoy/host-counts';
import { conditionCode } from './endpoint-condition';
import { type EndpointTable, endpointsOfLocality, endpointsOfPriority } from './endpoint-table';
import type { SimulatorState } from './simulator-state';

type Health = 'healthy' | 'degraded' | 'unhealthy' | 'excluded';

/** Slow endpoints are healthy for Envoy: requests wait for a connection. Dead ones are healthy until they are detected. */
const healthOfCode: readonly Health[] = (() => {
  const healths: Health[] = [];
  healths[conditionCode.healthy] = 'healthy';
  healths[conditionCode.slow] = 'healthy';
  healths[conditionCode.degraded] = 'degraded';
  healths[conditionCode.draining] = 'excluded';
  healths[conditionCode.unhealthy] = 'unhealthy';
  healths[conditionCode.dead] = 'healthy';
  return healths;
})();

export interface EnvoyHosts {
  readonly table: EndpointTable;
  readonly state: SimulatorState;
  /** Dead endpoints that Envoy no longer uses: failed health checks, or ejected. */
  readonly detected: ReadonlySet<number>;
}

export function openHosts(table: EndpointTable, state: SimulatorState): EnvoyHosts {
  return { table, state, detected: findDetected(table, state) };
}

/** Which endpoints are ejected depends on the order of failures: the first of each leaf cluster are taken. */
function findDetected(table: EndpointTable, { conditions }: SimulatorState): ReadonlySet<number> {
  const detected = new Set<number>();
  if (!conditions.includes(conditionCode.dead)) return detected;
  const sizes = new Map<string, number>();
  table.cluster.priorities.forEach(({ cluster }, priority) => {
    const [from, end] = endpointsOfPriority(table, priority);
    sizes.set(cluster, (sizes.get(cluster) ?? 0) + end - from);
  });
  const left = new Map(
    table.cluster.priorities.map(({ cluster, envoy }) => [
      cluster,
      mostDetected(envoy.detection, sizes.get(cluster) ?? 0),
    ]),
  );
  table.cluster.priorities.forEach(({ cluster }, priority) => {
    const [from, end] = endpointsOfPriority(table, priority);
    for (let at = from; at < end; at++) {
      const more = left.get(cluster) ?? 0;
      if (conditions[at] !== conditionCode.dead || more <= 0) continue;
      detected.add(at);
      left.set(cluster, more - 1);
    }
  });
  return detected;
}

export function healthOf({ state, detected }: EnvoyHosts, endpoint: number): Health {
  if (detected.has(endpoint)) return 'unhealthy';
  return healthOfCode[state.conditions[endpoint] ?? conditionCode.unhealthy] ?? 'unhealthy';
}

export function countHosts(
  hosts: EnvoyHosts,
  locality: number,
  weightOf: (endpoint: number) => number,
): HostCounts {
  const counts = { healthy: 0, degraded: 0, unhealthy: 0, excluded: 0 };
  const [from, end] = endpointsOfLocality(hosts.table, locality);
  for (let at = from; at < end; at++) counts[healthOf(hosts, at)] += weightOf(at);
  const { healthy, degraded, unhealthy, excluded } = counts;
  return { healthy, degraded, total: healthy + degraded + unhealthy, excluded };
}
