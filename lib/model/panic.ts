import type { LoadAssignment } from './endpoints';

/** overprovisioning_factor of endpoints that do not state it, in per cent. */
const usualFactor = 140;

interface Counts {
  healthy: number;
  degraded: number;
  total: number;
}

/**
 * The indexes of the priorities in panic: Envoy sends their requests to all endpoints, healthy or not. That is so where fewer
 * than the threshold are healthy or degraded, unless all priorities together are fully available. `threshold` is in per cent;
 * 0: never.
 */
export function findPanics(
  { priorities, overprovisioningFactor, weightedPriorityHealth }: LoadAssignment,
  threshold: number,
): readonly number[] {
  if (threshold <= 0) return [];
  const factor = overprovisioningFactor ?? usualFactor;
  let available = 0;
  const panics: number[] = [];
  for (const [index, { localities }] of priorities.entries()) {
    const hosts: Counts = { healthy: 0, degraded: 0, total: 0 };
    const weighed: Counts = { healthy: 0, degraded: 0, total: 0 };
    for (const { endpoints } of localities)
      for (const { health, weight = 1 } of endpoints) {
        if (health === 'DRAINING') continue;
        count(hosts, health, 1);
        count(weighed, health, weightedPriorityHealth ? weight : 1);
      }
    const availability = (part: number): number =>
      weighed.total === 0 ? 0 : Math.min(100, Math.floor((factor * part) / weighed.total));
    available += availability(weighed.healthy) + availability(weighed.degraded);
    const isShort =
      hosts.total === 0 ||
      (100 * hosts.healthy) / hosts.total + (100 * hosts.degraded) / hosts.total < Math.min(100, threshold);
    if (isShort) panics.push(index);
  }
  return available >= 100 ? [] : panics;
}

function count(counts: Counts, health: string, by: number): void {
  counts.total += by;
  if (health === 'HEALTHY' || health === 'UNKNOWN') counts.healthy += by;
  else if (health === 'DEGRADED') counts.degraded += by;
}
