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

/** One LB policy of a client, with what it was told. */
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
  /** What it does, a sentence each. */
  readonly facts: readonly string[];
  /** Its entry of a service config's list, with all that is inside; null where the client writes none. */
  readonly config: JsonObject | null;
  readonly children: readonly LbNode[];
  /** Of a policy that picks endpoints; empty for others. */
  readonly endpoints: readonly LbEndpoint[];
}
