import { states } from '../../xds/status';

/**
 * Resources have their State, endpoints their EDS health (envoy.config.core.v3.HealthStatus); MISSING is a
 * reference to a resource that the client does not hold.
 */
export const graphNodeStatuses = [...states, 'HEALTHY', 'UNHEALTHY', 'DEGRADED', 'MISSING', 'NONE'] as const;

export type GraphNodeStatus = (typeof graphNodeStatuses)[number];
