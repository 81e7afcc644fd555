/**
 * The condition of an endpoint in a simulation. `healthy`: EDS reports HEALTHY or no status, and the endpoint accepts
 * connections. `degraded`, `draining`: EDS reports that status. `unhealthy`: EDS reports UNHEALTHY or another status
 * that gets no requests. `slow`: EDS reports HEALTHY; the connection is lost and a new one takes long. `dead`: EDS
 * reports HEALTHY; the connection is lost and new ones fail.
 */
export const endpointConditions = ['healthy', 'degraded', 'draining', 'unhealthy', 'slow', 'dead'] as const;
export type EndpointCondition = (typeof endpointConditions)[number];

/** Index in endpointConditions. The compact form in which the conditions of many endpoints are kept. */
export const conditionCode = Object.fromEntries(
  endpointConditions.map((name, code) => [name, code]),
) as Readonly<Record<EndpointCondition, number>>;

/** `health` is the name of an envoy.config.core.v3.HealthStatus. `failsToConnect`: the client reports that. */
export function conditionOfHealth(health: string, failsToConnect?: boolean): EndpointCondition {
  switch (health) {
    case 'HEALTHY':
    case 'UNKNOWN':
      return failsToConnect ? 'dead' : 'healthy';
    case 'DEGRADED':
      return 'degraded';
    case 'DRAINING':
      return 'draining';
    default:
      return 'unhealthy';
  }
}
