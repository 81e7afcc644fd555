/**
 * Hosts of a priority or a locality as Envoy counts them: each host once, or, with weighted_priority_health, its
 * weight. Excluded hosts are in none of the numbers.
 */
export interface HostCounts {
  readonly healthy: number;
  readonly degraded: number;
  /** All, the unhealthy ones included. */
  readonly total: number;
}

export const noHosts: HostCounts = { healthy: 0, degraded: 0, total: 0 };

export function addCounts(one: HostCounts, other: HostCounts): HostCounts {
  return {
    healthy: one.healthy + other.healthy,
    degraded: one.degraded + other.degraded,
    total: one.total + other.total,
  };
}
