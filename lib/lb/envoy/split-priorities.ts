import { findAvailability } from './availability';
import type { HostCounts } from './host-counts';

export interface PriorityHealth {
  /** Hosts, each counted as one. Panic is computed from these. */
  readonly hosts: HostCounts;
  /** Health is computed from these: the hosts, or their weights with weighted_priority_health. */
  readonly weighed: HostCounts;
  /** The factor in per cent; 140 if unset. */
  readonly overprovisioningFactor: number;
}

/** The load of one priority; all numbers are whole per cent. */
export interface PrioritySplit {
  /** Health after overprovisioning, at most 100. */
  readonly healthyAvailability: number;
  readonly degradedAvailability: number;
  /** Share of all requests that goes to healthy hosts; in panic to all hosts. */
  readonly healthyLoad: number;
  readonly degradedLoad: number;
  /** If true, the load is spread over all hosts, whatever their health. */
  readonly isPanic: boolean;
}

export interface PrioritiesSplit {
  /** The priorities in the order of the input. Loads sum to 100. */
  readonly priorities: readonly PrioritySplit[];
  /** min(100, sum of all availabilities). Below 100, loads are scaled up and panic is evaluated. */
  readonly totalAvailability: number;
  /** If true, every priority is in panic and loads are proportional to numbers of hosts. */
  readonly isTotalPanic: boolean;
  /** No host is available and panic does not apply: Envoy assigns 100% to P0, finds no host there, and answers 503. */
  readonly isUnserved: boolean;
  /** The percentage left over by rounding, and the priority that gets it; null if there is no remainder. */
  readonly leftover: { readonly percent: number; readonly priority: number } | null;
}

/**
 * Section 5.6: Envoy's priority load in its integer arithmetic. Requires at least one priority. `panicThreshold` is
 * common_lb_config.healthy_panic_threshold in whole per cent; 50 if unset, 0 disables panic.
 */
export function splitPriorities(healths: readonly PriorityHealth[], panicThreshold: number): PrioritiesSplit {
  const of = (health: 'healthy' | 'degraded') =>
    healths.map(({ weighed, overprovisioningFactor }) =>
      findAvailability(weighed[health], weighed.total, overprovisioningFactor),
    );
  const healthy = of('healthy');
  const degraded = of('degraded');
  const totalAvailability = Math.min(100, sum(healthy) + sum(degraded));
  const threshold = Math.min(100, panicThreshold);
  const panics = healths.map(({ hosts }) => totalAvailability < 100 && isInPanic(hosts, threshold));
  const isTotalPanic = panics.every((each) => each);
  const isOnFirst = totalAvailability === 0 && !isTotalPanic;
  const isUnserved = isOnFirst && (healths[0]?.hosts.healthy ?? 0) === 0;
  const { loads, leftover } = isOnFirst
    ? { loads: healths.map((_, at) => ({ healthy: at === 0 ? 100 : 0, degraded: 0 })), leftover: null }
    : isTotalPanic
      ? splitByHosts(healths.map(({ hosts }) => hosts.total + hosts.excluded))
      : splitByAvailability(healthy, degraded, totalAvailability);
  return {
    priorities: loads.map((load, at) => ({
      healthyAvailability: healthy[at] ?? 0,
      degradedAvailability: degraded[at] ?? 0,
      healthyLoad: load.healthy,
      degradedLoad: load.degraded,
      isPanic: panics[at] === true,
    })),
    totalAvailability,
    isTotalPanic,
    isUnserved,
    leftover,
  };
}

/** Fractions are not rounded: 49.9% is below a threshold of 50. */
function isInPanic({ healthy, degraded, total }: HostCounts, threshold: number): boolean {
  if (total <= 0) return threshold > 0;
  return (100 * healthy) / total + (100 * degraded) / total < threshold;
}

interface Loads {
  readonly loads: readonly { readonly healthy: number; readonly degraded: number }[];
  readonly leftover: PrioritiesSplit['leftover'];
}

/**
 * Assigns load to healthy hosts of all priorities first, then to degraded ones; the first priority gets the remainder
 * of rounding.
 */
function splitByAvailability(healthy: readonly number[], degraded: readonly number[], total: number): Loads {
  const toHealthy = distribute(healthy, 100, total);
  const toDegraded = distribute(degraded, toHealthy.left, total);
  const isHealthyFirst = toHealthy.first >= 0;
  const priority = isHealthyFirst ? toHealthy.first : toDegraded.first;
  const percent = toDegraded.left;
  const gains = (at: number, isHealthy: boolean): number =>
    at === priority && isHealthy === isHealthyFirst ? percent : 0;
  return {
    loads: healthy.map((_, at) => ({
      healthy: (toHealthy.loads[at] ?? 0) + gains(at, true),
      degraded: (toDegraded.loads[at] ?? 0) + gains(at, false),
    })),
    leftover: percent === 0 ? null : { percent, priority },
  };
}

interface Distribution {
  readonly loads: readonly number[];
  readonly left: number;
  /** The first priority with any availability; -1 if there is none. */
  readonly first: number;
}

function distribute(availabilities: readonly number[], load: number, total: number): Distribution {
  let left = load;
  const loads = availabilities.map((availability) => {
    const taken = Math.min(left, Math.floor((availability * 100) / total));
    left -= taken;
    return taken;
  });
  return { loads, left, first: availabilities.findIndex((availability) => availability > 0) };
}

/**
 * All priorities are in panic: load is proportional to numbers of hosts, excluded ones included, and the first priority
 * with hosts gets the remainder.
 */
function splitByHosts(totals: readonly number[]): Loads {
  const all = sum(totals);
  const first = Math.max(
    0,
    totals.findIndex((total) => total > 0),
  );
  const shares = totals.map((total) => (all === 0 ? 0 : Math.floor((100 * total) / all)));
  const percent = 100 - sum(shares);
  return {
    loads: shares.map((share, at) => ({ healthy: share + (at === first ? percent : 0), degraded: 0 })),
    leftover: percent === 0 ? null : { percent, priority: first },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
