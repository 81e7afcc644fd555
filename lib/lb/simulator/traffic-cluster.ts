import type { ClientKind } from '../client-kind';

export interface TrafficEndpoint {
  readonly address: string;
  /** The name of an envoy.config.core.v3.HealthStatus. */
  readonly health: string;
  /** 1 if unset. */
  readonly weight: number;
}

export interface TrafficLocality {
  /** Formatted locality. */
  readonly name: string;
  /** null if unset. */
  readonly weight: number | null;
  readonly endpoints: readonly TrafficEndpoint[];
}

export interface TrafficPriority {
  /** "P0"; for an aggregate "cart P0". */
  readonly name: string;
  /** The leaf cluster of the priority. */
  readonly cluster: string;
  /** The priority number in EDS. */
  readonly priority: number;
  readonly localities: readonly TrafficLocality[];
}

/**
 * How gRPC's endpoint policy shares requests and reports its state. `other` is an unknown policy, simulated as
 * round_robin.
 */
export const endpointPolicies = [
  'round_robin',
  'weighted_round_robin',
  'least_request',
  'ring_hash',
  'pick_first',
  'other',
] as const;
export type EndpointPolicy = (typeof endpointPolicies)[number];

export interface TrafficCluster {
  /** In the order in which they are tried; for an aggregate, all priorities of all leaves. */
  readonly priorities: readonly TrafficPriority[];
  readonly kind: ClientKind;
  readonly policy: EndpointPolicy;
  /** From EDS, in per cent; 140 if unset. */
  readonly overprovisioningFactor: number;
  readonly weightedPriorityHealth: boolean;
  /** Whole per cent; 50 if unset. */
  readonly panicThreshold: number;
  /** Whether Envoy weighs localities. If not, all endpoints of a priority get equal shares. */
  readonly isLocalityWeighted: boolean;
}
