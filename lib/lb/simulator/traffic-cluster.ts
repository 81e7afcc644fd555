import type { ClientKind } from '../client-kind';

export interface TrafficEndpoint {
  readonly address: string;
  /** envoy.config.core.v3.HealthStatus by name. */
  readonly health: string;
  /** 1 when unset. */
  readonly weight: number;
}

export interface TrafficLocality {
  /** In words. */
  readonly name: string;
  /** null when unset. */
  readonly weight: number | null;
  readonly endpoints: readonly TrafficEndpoint[];
}

export interface TrafficPriority {
  /** "P0"; of an aggregate "cart P0". */
  readonly name: string;
  /** The leaf cluster that it is of. */
  readonly cluster: string;
  /** EDS's number. */
  readonly priority: number;
  readonly localities: readonly TrafficLocality[];
}

/** How gRPC's endpoint policy shares and reports. `other`: it is not known; taken as round_robin. */
export const endpointPolicies = [
  'round_robin',
  'weighted_round_robin',
  'least_request',
  'ring_hash',
  'pick_first',
  'other',
] as const;
export type EndpointPolicy = (typeof endpointPolicies)[number];

/** A cluster as failover sees it, for both semantics. */
export interface TrafficCluster {
  /** In the order in which they are tried; of an aggregate, all priorities of all leaves. */
  readonly priorities: readonly TrafficPriority[];
  readonly kind: ClientKind;
  readonly policy: EndpointPolicy;
  /** Per cent, of EDS; 140 when unset. */
  readonly overprovisioningFactor: number;
  readonly weightedPriorityHealth: boolean;
  /** Whole per cent; 50 when unset. */
  readonly panicThreshold: number;
  /** Envoy weighs localities; else all endpoints of a priority share alike. */
  readonly isLocalityWeighted: boolean;
}
