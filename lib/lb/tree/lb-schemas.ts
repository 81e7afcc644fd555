import * as z from 'zod';

const use = z.enum(['used', 'ignored']);

export const lbEndpoint = z.object({
  address: z.string(),
  /** Formatted; set if endpoints of several localities are in one policy. */
  locality: z.string(),
  /** envoy.config.core.v3.HealthStatus. */
  health: z.string(),
  /** The weight that the policy uses; absent: all are equal. */
  weight: z.number().optional(),
  use,
  /** The reason why it is ignored; otherwise empty. */
  reason: z.string(),
});

const standings = ['live', 'standby', 'failed'] as const;

/** A policy without what is inside it. */
export const lbPolicy = z.object({
  /** Built from the names of its ancestors, so it is equal in the next answer. */
  id: z.string(),
  /** The client's name of the policy, such as "priority_experimental". */
  policy: z.string(),
  /** The name that its parent gives it: a priority's child name, a weighted target's locality; empty for an only child. */
  name: z.string(),
  /** A label such as "P0", "eu / eu-1" or 'cluster "cart"'; empty if the policy name is sufficient. */
  label: z.string(),
  use,
  /** The reason why it is ignored; otherwise empty. */
  reason: z.string(),
  /**
   * The standing of a child of a priority policy, by the endpoints that EDS delivered: live, it gets the requests;
   * failed, it was tried and has no usable endpoint; standby, it is used only when those before it fail. Absent: it is
   * not such a child, or ignored.
   */
  standing: z.enum(standings).optional(),
  /**
   * The list of policies from which it was chosen (gRFC A52), itself included, by type name as in
   * "envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin"; `reason`: why another one was not chosen. Empty
   * if there was no list.
   */
  listed: z.array(z.object({ typeName: z.string(), use, reason: z.string() })),
  /** Sentences on what it does. */
  facts: z.array(z.string()),
});
