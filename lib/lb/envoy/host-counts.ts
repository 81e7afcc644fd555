/**
 * Hosts of a priority or a locality as Envoy counts them: each host as one, or as its weight with
 * weighted_priority_health.
 */
export interface HostCounts {
  readonly healthy: number;
  readonly degraded: number;
  /** Includes unhealthy hosts. */
  readonly total: number;
  /** Hosts that EDS reports as DRAINING. They are in none of the other numbers. */
  readonly excluded: number;
}

export const noHosts: HostCounts = { healthy: 0, degraded: 0, total: 0, excluded: 0 };

export function addCounts(one: HostCounts, other: HostCounts): HostCounts {
  return {
    healthy: one.healthy + other.healthy,
    degraded: one.degraded + other.degraded,
    total: one.total + other.total,
    excluded: one.excluded + other.excluded,
  };
}
