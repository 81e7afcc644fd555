import { splitZones } from '../../resolve/split-zones';
import { defaultOverprovisioningFactor } from '../envoy/availability';
import { mostDetected } from '../envoy/envoy-balancing';
import type { HostCounts } from '../envoy/host-counts';
import { addCounts, noHosts } from '../envoy/host-counts';
import { splitLocalities } from '../envoy/split-localities';
import type { PrioritiesSplit, PriorityHealth } from '../envoy/split-priorities';
import { splitPriorities } from '../envoy/split-priorities';
import { conditionCode } from './endpoint-condition';
import type { EndpointTable } from './endpoint-table';
import { endpointsOfLocality, endpointsOfPriority, localitiesOfPriority } from './endpoint-table';
import type { Loads } from './loads';
import { sumLoads } from './loads';
import type { SimulatorState } from './simulator-state';
import type { TrafficPriority } from './traffic-cluster';

/** The distribution of Envoy's requests at a moment. Envoy uses only health and keeps no state. */
export interface EnvoyView {
  readonly healths: readonly PriorityHealth[];
  /** An aggregate divides requests among the priorities of all leaf clusters. */
  readonly split: PrioritiesSplit;
  /**
   * For each priority, whether its requests go to all its endpoints, whatever their health. In an aggregate, each
   * leaf cluster decides this by its own priorities and panic threshold.
   */
  readonly panics: readonly boolean[];
  /** Requests that are served. */
  readonly loads: Loads;
  /** Share of the requests that are answered with 503, 0..1. */
  readonly failing: number;
  /** Share of the requests that go to endpoints that are not healthy, 0..1: whether these serve them is not known. */
  readonly toUnhealthy: number;
  /** Share of the requests that go to unhealthy endpoints to which connections fail, as the client measured it. */
  readonly toUnreachable: number;
  /** For each priority, the dead endpoints that Envoy counts as healthy, and the share of requests that they fail. */
  readonly undetected: readonly Undetected[];
}

export interface Undetected {
  readonly endpoints: number;
  readonly failing: number;
}

export function viewEnvoy(table: EndpointTable, state: SimulatorState): EnvoyView {
  const { cluster } = table;
  const hosts = openHosts(table, state);
  const localities = table.localities.map((_, at) => countHosts(hosts, at, () => 1));
  const healths = cluster.priorities.map((own, priority): PriorityHealth => {
    const [first, last] = localitiesOfPriority(table, priority);
    const counted = localities.slice(first, last).reduce(addCounts, noHosts);
    let weighed = counted;
    if (own.weightedPriorityHealth) {
      weighed = noHosts;
      for (let at = first; at < last; at++)
        weighed = addCounts(
          weighed,
          countHosts(hosts, at, (endpoint) => table.weights[endpoint] ?? 1),
        );
    }
    return {
      hosts: counted,
      weighed,
      overprovisioningFactor: state.overprovisioningFactor ?? own.overprovisioningFactor,
    };
  });
  const split = splitPriorities(healths.length > 0 ? healths : [noHealth], cluster.panicThreshold);
  const panics = findPanics(cluster.priorities, healths);
  const endpoints = new Float64Array(table.size);
  cluster.priorities.forEach((own, priority) => {
    const { healthyLoad = 0, degradedLoad = 0 } = split.priorities[priority] ?? {};
    const [from, end] = endpointsOfPriority(table, priority);
    // RANDOM does not read weights.
    const all = { from, end, isByWeight: own.envoy.policy !== 'random' };
    if (panics[priority]) {
      const load = own.envoy.failsOnPanic ? 0 : (healthyLoad + degradedLoad) / 100;
      spreadOver(hosts, { ...all, load, health: null }, endpoints);
    } else {
      for (const [load, health] of [
        [healthyLoad / 100, 'healthy'],
        [degradedLoad / 100, 'degraded'],
      ] as const)
        spread(hosts, localities, priority, { ...all, load, health }, endpoints);
    }
  });
  const undetected = cluster.priorities.map((_, priority) => takeDead(hosts, priority, endpoints));
  let [toUnhealthy, toUnreachable] = [0, 0];
  for (const [at, load] of endpoints.entries()) {
    if (state.conditions[at] !== conditionCode.unhealthy) continue;
    if (table.unreachable[at] === 1) {
      toUnreachable += load;
      endpoints[at] = 0;
    } else toUnhealthy += load;
  }
  const loads = sumLoads(table, endpoints);
  const served = loads.priorities.reduce((all, load) => all + load, 0);
  const failing = Math.max(0, 1 - served);
  return { healths, split, panics, loads, failing, toUnhealthy, toUnreachable, undetected };
}

const noHealth: PriorityHealth = {
  hosts: noHosts,
  weighed: noHosts,
  overprovisioningFactor: defaultOverprovisioningFactor,
};

/** The priorities of a leaf cluster are consecutive. */
function findPanics(
  priorities: readonly TrafficPriority[],
  healths: readonly PriorityHealth[],
): readonly boolean[] {
  const leaves = new Map<string, { readonly threshold: number; readonly healths: PriorityHealth[] }>();
  priorities.forEach(({ cluster, envoy }, at) => {
    const leaf = leaves.get(cluster) ?? { threshold: envoy.panicThreshold, healths: [] };
    leaf.healths.push(healths[at] ?? noHealth);
    leaves.set(cluster, leaf);
  });
  return [...leaves.values()].flatMap((leaf) =>
    splitPriorities(leaf.healths, leaf.threshold).priorities.map(({ isPanic }) => isPanic),
  );
}

interface Spread {
  /** Half-open range of endpoints. */
  readonly from: number;
  readonly end: number;
  readonly isByWeight: boolean;
  /** 0..1. */
  readonly load: number;
  /** Endpoints of this health get requests; null: all. */
  readonly health: 'healthy' | 'degraded' | null;
}

/** Spreads load over the hosts of a priority: by locality first if their weights or the zone decide. ADDS to `loads`. */
function spread(
  hosts: EnvoyHosts,
  localities: readonly HostCounts[],
  priority: number,
  whole: Spread & { readonly health: 'healthy' | 'degraded' },
  loads: Float64Array,
): void {
  const { table, state } = hosts;
  const [first, last] = localitiesOfPriority(table, priority);
  const own = table.cluster.priorities[priority];
  if (own?.zone !== undefined) {
    const healthy = localities.slice(first, last).map((counts) => counts.healthy);
    const { shares, decided } = splitZones(own.zone, healthy);
    shares?.forEach((share, at) => {
      const [from, end] = endpointsOfLocality(table, first + at);
      spreadOver(hosts, { ...whole, from, end, load: whole.load * decided * share }, loads);
    });
    spreadOver(hosts, { ...whole, load: whole.load * (1 - (shares === null ? 0 : decided)) }, loads);
    return;
  }
  const shares = own?.envoy.isLocalityWeighted
    ? splitLocalities(
        localities.slice(first, last).map((counts, at) => ({
          weight: state.weights[first + at] ?? 0,
          available: counts[whole.health],
          total: counts.total,
        })),
        state.overprovisioningFactor ?? own.overprovisioningFactor,
      )
    : [];
  // If no weight counts, Envoy picks among all hosts of the priority.
  if (!shares.some((share) => share > 0)) {
    spreadOver(hosts, whole, loads);
    return;
  }
  shares.forEach((share, at) => {
    const [from, end] = endpointsOfLocality(table, first + at);
    spreadOver(hosts, { ...whole, from, end, load: whole.load * share }, loads);
  });
}

function spreadOver(
  hosts: EnvoyHosts,
  { from, end, isByWeight, load, health }: Spread,
  loads: Float64Array,
): void {
  if (load === 0) return;
  const { weights } = hosts.table;
  const weightOf = (at: number): number => {
    if (health !== null && healthOf(hosts, at) !== health) return 0;
    return isByWeight ? (weights[at] ?? 1) : 1;
  };
  let all = 0;
  for (let at = from; at < end; at++) all += weightOf(at);
  if (all === 0) return;
  for (let at = from; at < end; at++) loads[at] = (loads[at] ?? 0) + (load * weightOf(at)) / all;
}

/** Requests to dead endpoints fail, and are not sent to others. SETS the load of these endpoints to 0. */
function takeDead({ table, state, detected }: EnvoyHosts, priority: number, loads: Float64Array): Undetected {
  const [from, end] = endpointsOfPriority(table, priority);
  let [endpoints, failing] = [0, 0];
  for (let at = from; at < end; at++) {
    if (state.conditions[at] !== conditionCode.dead) continue;
    if (!detected.has(at)) endpoints += 1;
    failing += loads[at] ?? 0;
    loads[at] = 0;
  }
  return { endpoints, failing };
}

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

interface EnvoyHosts {
  readonly table: EndpointTable;
  readonly state: SimulatorState;
  /** Dead endpoints that Envoy no longer uses: failed health checks, or ejected. */
  readonly detected: ReadonlySet<number>;
}

function openHosts(table: EndpointTable, state: SimulatorState): EnvoyHosts {
  return { table, state, detected: findDetected(table, state) };
}

/** The order of failures decides which endpoints are ejected: the first ones of each leaf cluster are assumed here. */
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

function healthOf({ state, detected }: EnvoyHosts, endpoint: number): Health {
  if (detected.has(endpoint)) return 'unhealthy';
  return healthOfCode[state.conditions[endpoint] ?? conditionCode.unhealthy] ?? 'unhealthy';
}

function countHosts(hosts: EnvoyHosts, locality: number, weightOf: (endpoint: number) => number): HostCounts {
  const counts = { healthy: 0, degraded: 0, unhealthy: 0, excluded: 0 };
  const [from, end] = endpointsOfLocality(hosts.table, locality);
  for (let at = from; at < end; at++) counts[healthOf(hosts, at)] += weightOf(at);
  const { healthy, degraded, unhealthy, excluded } = counts;
  return { healthy, degraded, total: healthy + degraded + unhealthy, excluded };
}
