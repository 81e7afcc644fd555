import { findAvailability } from './availability';
import type { HostCounts } from './host-counts';

export interface PriorityHealth {
  /** Hosts, each counted once: panic looks at these. */
  readonly hosts: HostCounts;
  /** What health is computed of: the hosts, or with weighted_priority_health their weights. */
  readonly weighed: HostCounts;
}

export interface PriorityPolicy {
  /** Per cent; 140 when unset. */
  readonly overprovisioningFactor: number;
  /** common_lb_config.healthy_panic_threshold in whole per cent; 50 when unset, 0 is off. */
  readonly panicThreshold: number;
}

/** What one priority gets; all numbers are whole per cent. */
export interface PrioritySplit {
  /** Health after overprovisioning, at most 100. */
  readonly healthyAvailability: number;
  readonly degradedAvailability: number;
  /** Of all requests, what goes to healthy hosts; in panic to all hosts. */
  readonly healthyLoad: number;
  readonly degradedLoad: number;
  /** Its load is spread over all its hosts, whatever their health. */
  readonly isPanic: boolean;
}

export interface PrioritiesSplit {
  /** As the priorities are given. Loads sum to 100. */
  readonly priorities: readonly PrioritySplit[];
  /** min(100, the sum of all availabilities): below 100, loads are scaled up and panic is looked at. */
  readonly totalAvailability: number;
  /** Every priority is in panic: loads go by numbers of hosts. */
  readonly isTotalPanic: boolean;
  /** Nobody is available, and panic does not help: Envoy books 100 % on P0, where it finds no host, and answers 503. */
  readonly isUnserved: boolean;
  /** Per cent that rounding left over, and who got it; null when nothing was left. */
  readonly leftover: { readonly percent: number; readonly priority: number } | null;
}

/** Section 5.6: Envoy's priority load, in its integer arithmetic. At least one priority. */
export function splitPriorities(
  healths: readonly PriorityHealth[],
  { overprovisioningFactor, panicThreshold }: PriorityPolicy,
): PrioritiesSplit {
  const of = (available: number, { total }: HostCounts): number =>
    findAvailability(available, total, overprovisioningFactor);
  const healthy = healths.map(({ weighed }) => of(weighed.healthy, weighed));
  const degraded = healths.map(({ weighed }) => of(weighed.degraded, weighed));
  const totalAvailability = Math.min(100, sum(healthy) + sum(degraded));
  const threshold = Math.min(100, panicThreshold);
  const panics = healths.map(({ hosts }) => totalAvailability < 100 && isInPanic(hosts, threshold));
  const isTotalPanic = panics.every((each) => each);
  const isOnFirst = totalAvailability === 0 && !isTotalPanic;
  const isUnserved = isOnFirst && (healths[0]?.hosts.healthy ?? 0) === 0;
  const { loads, leftover } = isOnFirst
    ? { loads: healths.map((_, at) => ({ healthy: at === 0 ? 100 : 0, degraded: 0 })), leftover: null }
    : isTotalPanic
      ? splitByHosts(healths.map(({ hosts }) => hosts.total))
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

/** Fractions are compared as they are: 49.9 % is below a threshold of 50. */
function isInPanic({ healthy, degraded, total }: HostCounts, threshold: number): boolean {
  if (total <= 0) return threshold > 0;
  return (100 * healthy) / total + (100 * degraded) / total < threshold;
}

interface Loads {
  readonly loads: readonly { readonly healthy: number; readonly degraded: number }[];
  readonly leftover: PrioritiesSplit['leftover'];
}

/** Healthy hosts of all priorities first; what they do not take goes to degraded ones; rounding's rest to the first. */
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
  /** The first with any availability; -1: none. */
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

/** All in panic: by numbers of hosts, the rest to the first that has any. */
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
