import type { JsonObject } from '../../diff/json-object';

/** An endpoint as its policy has it, or as it was left out of it. */
export interface LbEndpoint {
  readonly address: string;
  /** In words; where endpoints of all localities are in one policy it says of which each is. */
  readonly locality: string;
  readonly health: string;
  /** What the policy weighs it by; null: every endpoint alike. */
  readonly weight: number | null;
  readonly use: 'used' | 'ignored';
  /** Why it is ignored; else empty. */
  readonly reason: string;
}

/** A policy of the list that a policy was chosen from (gRFC A52). */
export interface ListedPolicy {
  /** As in "envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin". */
  readonly typeName: string;
  readonly use: 'used' | 'ignored';
  /** Why it was passed over; else empty. */
  readonly reason: string;
}

export const standings = ['live', 'standby', 'failed'] as const;
/**
 * Of a child of a priority policy, by what EDS reported: live, it has the requests; failed, it was tried, and none of its
 * endpoints is usable; standby, it is only tried when those before it fail.
 */
export type Standing = (typeof standings)[number];

/** One LB policy of a client, with what it was reported. */
export interface LbNode {
  /** Made of the names on the way to it: the same in the next answer. */
  readonly id: string;
  /** As the client names it: "priority_experimental". */
  readonly policy: string;
  /** By which its parent knows it: a priority's child name, a weighted target's locality; empty for an only child. */
  readonly name: string;
  /** In words: "P0", "eu / eu-1", 'cluster "cart"'; empty when the policy's name says all. */
  readonly label: string;
  readonly use: 'used' | 'ignored';
  /** Why it is ignored; else empty. */
  readonly reason: string;
  /** null: it is no priority's child, or ignored. */
  readonly standing: Standing | null;
  /** The list that it is of, itself among them; empty where there was no choice. */
  readonly listed: readonly ListedPolicy[];
  /** What it does, a sentence each. */
  readonly facts: readonly string[];
  /** Its entry of a service config's list, with all that is inside; null where the client writes none. */
  readonly config: JsonObject | null;
  readonly children: readonly LbNode[];
  /** Of a policy that picks endpoints; empty for others. */
  readonly endpoints: readonly LbEndpoint[];
}

/** How a leaf cluster's priority stands, by EDS's number; null: how all of the leaf does. null: it is not there. */
export type FindStanding = (cluster: string, priority: number | null) => Standing | null;
