/**
 * What is done to an endpoint in a simulation.
 *
 *   healthy    EDS says HEALTHY or nothing; it accepts connections
 *   degraded   EDS says DEGRADED
 *   draining   EDS says DRAINING
 *   unhealthy  EDS says UNHEALTHY, or whatever else nobody sends requests to
 *   slow       EDS says HEALTHY; its connection is lost, and a new one takes its time
 *   dead       EDS says HEALTHY; its connection is lost, and it rejects new ones
 */
export const endpointConditions = ['healthy', 'degraded', 'draining', 'unhealthy', 'slow', 'dead'] as const;
export type EndpointCondition = (typeof endpointConditions)[number];

/** Place in endpointConditions: what is kept of many endpoints. */
export const conditionCode = Object.fromEntries(
  endpointConditions.map((name, code) => [name, code]),
) as Readonly<Record<EndpointCondition, number>>;

/** `health`: envoy.config.core.v3.HealthStatus by name. */
export function conditionOfHealth(health: string): EndpointCondition {
  switch (health) {
    case 'HEALTHY':
    case 'UNKNOWN':
      return 'healthy';
    case 'DEGRADED':
      return 'degraded';
    case 'DRAINING':
      return 'draining';
    default:
      return 'unhealthy';
  }
}
