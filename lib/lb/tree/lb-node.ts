import type { JsonObject } from '../../diff/json-object';

export interface LbEndpoint {
  readonly address: string;
  /** Formatted; set if endpoints of several localities are in one policy. */
  readonly locality: string;
  readonly health: string;
  /** The weight that the policy uses; null if all endpoints are equal. */
  readonly weight: number | null;
  readonly use: 'used' | 'ignored';
  /** Why it is ignored; else empty. */
  readonly reason: string;
}

/** An entry of the list from which a policy was chosen (gRFC A52). */
export interface ListedPolicy {
  /** As in "envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin". */
  readonly typeName: string;
  readonly use: 'used' | 'ignored';
  /** Why it was not chosen; else empty. */
  readonly reason: string;
}

export const standings = ['live', 'standby', 'failed'] as const;
/**
 * State of a child of a priority policy, derived from EDS. `live`: it gets the requests; `failed`: none of its
 * endpoints is usable; `standby`: it is tried only if those before it fail.
 */
export type Standing = (typeof standings)[number];

export interface LbNode {
  /** Built from the names of its ancestors, so it is stable between answers. */
  readonly id: string;
  /** The client's name of the policy, such as "priority_experimental". */
  readonly policy: string;
  /**
   * The name that its parent gives it: a priority's child name, a weighted target's locality; empty for an only
   * child.
   */
  readonly name: string;
  /** A label such as "P0", "eu / eu-1" or 'cluster "cart"'; empty if the policy name is sufficient. */
  readonly label: string;
  readonly use: 'used' | 'ignored';
  /** Why it is ignored; else empty. */
  readonly reason: string;
  /** null if it is not a child of a priority policy, or is ignored. */
  readonly standing: Standing | null;
  /** The list from which it was chosen, itself included; empty if there was no list. */
  readonly listed: readonly ListedPolicy[];
  /** What it does, one sentence each. */
  readonly facts: readonly string[];
  /** Its entry in the list of a service config, with everything inside; null if the client writes none. */
  readonly config: JsonObject | null;
  readonly children: readonly LbNode[];
  /** Endpoints of a policy that picks endpoints; empty for others. */
  readonly endpoints: readonly LbEndpoint[];
}

/**
 * The state of a priority of a leaf cluster by EDS number, or of the whole leaf if the number is null. Returns null
 * if there is no such priority.
 */
export type FindStanding = (cluster: string, priority: number | null) => Standing | null;
