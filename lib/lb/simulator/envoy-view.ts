import { addCounts, type HostCounts, noHosts } from '../envoy/host-counts';
import { splitLocalities } from '../envoy/split-localities';
import { type PrioritiesSplit, type PriorityHealth, splitPriorities } from '../envoy/split-priorities';
import { conditionCode } from './endpoint-condition';
import { type EndpointTable, endpointsOfLocality, localitiesOfPriority } from './endpoint-table';
import { type Loads, sumLoads } from './loads';
import type { SimulatorState } from './simulator-state';

/** Where Envoy's requests go at a moment. Envoy uses only health and keeps no state. */
export interface EnvoyView {
  readonly healths: readonly PriorityHealth[];
  readonly split: PrioritiesSplit;
  /** One entry for each locality; each host counts as one. */
  readonly localities: readonly HostCounts[];
  readonly loads: Loads;
}

type Health = 'healthy' | 'degraded' | 'unhealthy';

/** Slow endpoints are healthy for Envoy: requests wait for a connection. Health checks detect dead endpoints. */
const healthOfCode: readonly Health[] = (() => {
  const healths: Health[] = [];
  healths[conditionCode.healthy] = 'healthy';
  healths[conditionCode.slow] = 'healthy';
  healths[conditionCode.degraded] = 'degraded';
  healths[conditionCode.draining] = 'unhealthy';
  healths[conditionCode.unhealthy] = 'unhealthy';
  healths[conditionCode.dead] = 'unhealthy';
  return healths;
})();

export function viewEnvoy(table: EndpointTable, state: SimulatorState): EnvoyView {
  const { cluster } = table;
  const localities = table.localities.map((_, at) => countHosts(table, state, at, () => 1));
  const weighed = cluster.weightedPriorityHealth
    ? table.localities.map((_, at) =>
        countHosts(table, state, at, (endpoint) => table.weights[endpoint] ?? 1),
      )
    : localities;
  const healths = cluster.priorities.map((_, priority) => {
    const [first, last] = localitiesOfPriority(table, priority);
    return { hosts: sumCounts(localities, first, last), weighed: sumCounts(weighed, first, last) };
  });
  const { overprovisioningFactor } = state;
  const { panicThreshold } = cluster;
  const split = splitPriorities(healths.length > 0 ? healths : [noHealth], {
    overprovisioningFactor,
    panicThreshold,
  });
  const endpoints = new Float64Array(table.size);
  split.priorities.forEach(({ healthyLoad, degradedLoad, isPanic }, priority) => {
    const give = (load: number, isEligible: (health: Health) => boolean): void =>
      spread({ table, state, localities, priority, load: load / 100, isEligible }, endpoints);
    give(healthyLoad, isPanic ? () => true : (health) => health === 'healthy');
    give(degradedLoad, isPanic ? () => true : (health) => health === 'degraded');
  });
  return { healths, split, localities, loads: sumLoads(table, endpoints) };
}

const noHealth: PriorityHealth = { hosts: noHosts, weighed: noHosts };

function healthOf(state: SimulatorState, endpoint: number): Health {
  return healthOfCode[state.conditions[endpoint] ?? conditionCode.unhealthy] ?? 'unhealthy';
}

function countHosts(
  table: EndpointTable,
  state: SimulatorState,
  locality: number,
  weightOf: (endpoint: number) => number,
): HostCounts {
  const counts = { healthy: 0, degraded: 0, unhealthy: 0 };
  const [from, end] = endpointsOfLocality(table, locality);
  for (let at = from; at < end; at++) counts[healthOf(state, at)] += weightOf(at);
  const { healthy, degraded, unhealthy } = counts;
  return { healthy, degraded, total: healthy + degraded + unhealthy };
}

function sumCounts(counts: readonly HostCounts[], first: number, last: number): HostCounts {
  let sum = noHosts;
  for (let at = first; at < last; at++) sum = addCounts(sum, counts[at] ?? noHosts);
  return sum;
}

interface Spread {
  readonly table: EndpointTable;
  readonly state: SimulatorState;
  readonly localities: readonly HostCounts[];
  readonly priority: number;
  /** 0..1. */
  readonly load: number;
  readonly isEligible: (health: Health) => boolean;
}

/**
 * Spreads the load of a priority over its hosts: by locality first if localities are weighted, then by the weights of
 * hosts. ADDS to `loads`.
 */
function spread({ table, state, localities, priority, load, isEligible }: Spread, loads: Float64Array): void {
  if (load === 0) return;
  const [first, last] = localitiesOfPriority(table, priority);
  const available = (counts: HostCounts): number =>
    (isEligible('healthy') ? counts.healthy : 0) +
    (isEligible('degraded') ? counts.degraded : 0) +
    (isEligible('unhealthy') ? counts.total - counts.healthy - counts.degraded : 0);
  const shares = table.cluster.isLocalityWeighted
    ? splitLocalities(
        Array.from({ length: last - first }, (_, at) => {
          const counts = localities[first + at] ?? noHosts;
          return {
            weight: state.weights[first + at] ?? 0,
            available: available(counts),
            total: counts.total,
          };
        }),
        state.overprovisioningFactor,
      )
    : [];
  // If no weight counts, Envoy picks among all hosts of the priority.
  const isByLocality = shares.some(({ share }) => share > 0);
  const [begin] = endpointsOfLocality(table, first);
  const [, end] = endpointsOfLocality(table, last - 1);
  if (!isByLocality) {
    spreadOver(table, state, begin, last > first ? end : begin, load, isEligible, loads);
    return;
  }
  for (let locality = first; locality < last; locality++) {
    const [from, to] = endpointsOfLocality(table, locality);
    const share = load * (shares[locality - first]?.share ?? 0);
    spreadOver(table, state, from, to, share, isEligible, loads);
  }
}

function spreadOver(
  table: EndpointTable,
  state: SimulatorState,
  from: number,
  end: number,
  load: number,
  isEligible: (health: Health) => boolean,
  loads: Float64Array,
): void {
  let all = 0;
  for (let at = from; at < end; at++) if (isEligible(healthOf(state, at))) all += table.weights[at] ?? 1;
  if (all === 0 || load === 0) return;
  for (let at = from; at < end; at++) {
    if (isEligible(healthOf(state, at)))
      loads[at] = (loads[at] ?? 0) + (load * (table.weights[at] ?? 1)) / all;
  }
}
