import type { Endpoint } from '../../model/endpoints';
import type { ZoneRouting } from '../../model/zone-config';
import type { Profile } from '../../xds/profile';
import type { EnvoyBalancing } from '../envoy/envoy-balancing';

interface TrafficEndpoint {
  readonly address: string;
  /** The name of an envoy.config.core.v3.HealthStatus. */
  readonly health: string;
  /** Why Envoy excludes it; empty if it does not. Absent: the health is that of EDS. */
  readonly seenAs?: string;
  /** As the client measured it; absent: none is. */
  readonly failure?: Endpoint['failure'];
  /** 1 if unset. */
  readonly weight: number;
  /** `hash_key` of its metadata, by which it is hashed in place of its address; absent: it has none. */
  readonly hashKey?: string;
}

export interface TrafficLocality {
  /** Formatted locality. */
  readonly name: string;
  /** Absent if unset. */
  readonly weight?: number | undefined;
  /** Set if every request to it failed, by load reports. */
  readonly isFailing?: true;
  readonly endpoints: readonly TrafficEndpoint[];
}

export interface TrafficPriority {
  /** "P0"; for an aggregate "cart P0". */
  readonly name: string;
  /** The leaf cluster of the priority. */
  readonly cluster: string;
  /** gRPC rejects the leaf cluster, and does not try the priority. */
  readonly isRejected: boolean;
  /** The priority number in EDS. */
  readonly priority: number;
  /** The policy of its leaf cluster; in Go, that of the aggregate. */
  readonly policy: EndpointPolicy;
  /** Its name if it is `other`: the application defines its behavior. */
  readonly unknownPolicy?: string;
  /**
   * True if gRPC weighs localities, which only wrr_locality does. If not, the policy is over all endpoints of the
   * priority.
   */
  readonly isByLocality: boolean;
  /** The factor from the EDS resource of its leaf cluster, in per cent; 140 if unset. */
  readonly overprovisioningFactor: number;
  readonly weightedPriorityHealth: boolean;
  /** The settings of its leaf cluster. */
  readonly envoy: EnvoyBalancing;
  /** Absent: the zone of an Envoy does not decide. */
  readonly zone?: ZoneRouting;
  /** Set if the client resolves the name of its endpoints, and reports no address. */
  readonly isUnresolved?: true;
  /** Set if an Envoy reports the hosts on which it balances, with their health. */
  readonly hasHosts?: true;
  /** Set if the client reports that it is connected to the endpoints that gRPC uses. Absent: a simulation assumes it. */
  readonly isConnected?: true;
  readonly localities: readonly TrafficLocality[];
}

/**
 * The endpoint policies of gRPC, which decide how it shares requests and reports its state. `other` is an unknown
 * policy, simulated as round_robin.
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

/** `waiting`: a part of the config was not received. `failing`: the client rejects it. */
export interface UnusedConfig {
  readonly outcome: 'waiting' | 'failing';
  readonly reason: string;
}

export interface TrafficCluster {
  /** The priorities in the order in which they are tried; for an aggregate, all priorities of all leaves. */
  readonly priorities: readonly TrafficPriority[];
  /** The profile of gRPC. */
  readonly profile: Profile;
  /** The reason why gRPC does not use this config; null if it does. */
  readonly unused: UnusedConfig | null;
  /**
   * Envoy's threshold by which requests are divided among the priorities; in an aggregate, it is that of the
   * aggregate.
   */
  readonly panicThreshold: number;
}
