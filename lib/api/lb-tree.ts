/**
 * GET clients/{id}/lb-tree and GET permalinks/{id}/lb-tree: the LB policies that a gRPC client builds for one cluster.
 *
 *   clusters        the config's clusters; the tree is of `cluster`, by default the first
 *   tree            policies inside each other; of many localities and endpoints the first are listed, the rest counted
 *   config          service config of the policy that `node` names, by default all of it; null: the client writes none
 */
import * as z from 'zod';
import { standings } from '../lb/tree/lb-node';
import { profile } from './findings';
import { moment } from './moment';

const use = z.enum(['used', 'ignored']);

const lbEndpoint = z.object({
  address: z.string(),
  locality: z.string(),
  /** envoy.config.core.v3.HealthStatus. */
  health: z.string(),
  /** The weight for the policy; null: all are equal. */
  weight: z.number().nullable(),
  use,
  /** Why it is ignored; otherwise empty. */
  reason: z.string(),
});

const lbNode = z.object({
  /** Equal in the next answer. */
  id: z.string(),
  /** The name in the client: "priority_experimental". */
  policy: z.string(),
  /** The name of a child in its parent; empty for an only child. */
  name: z.string(),
  /** Empty if the policy name is sufficient. */
  label: z.string(),
  use,
  reason: z.string(),
  /**
   * For a child of a priority policy, by the endpoints that EDS delivered: live, it gets the requests; failed, it was
   * tried and has no usable endpoint; standby, it is used only when those before it fail. null: it is no such child, or
   * ignored.
   */
  standing: z.enum(standings).nullable(),
  /** The list of policies that it was chosen from, itself included; empty if there was only one. */
  listed: z.array(z.object({ typeName: z.string(), use, reason: z.string() })),
  /** Sentences on what it does. */
  facts: z.array(z.string()),
  get children() {
    return z.array(lbNode);
  },
  /**
   * The number of all children; at most 40 localities of the tree are listed, as many of each priority, ignored ones
   * first.
   */
  childrenTotal: z.number().int(),
  endpoints: z.array(lbEndpoint),
  /** The number of all endpoints; at most 12 per policy and 60 per tree are listed, ignored ones first. */
  endpointsTotal: z.number().int(),
});

export const lbTree = z.object({
  clientId: z.string(),
  at: z.iso.datetime(),
  /** Equal as long as the client and the question are unchanged. */
  revision: z.string(),
  /** The profile of gRPC whose LB policies these are; for an Envoy, that of C-core. */
  profile,
  /** Where the config begins; null: the client has no listener. */
  listener: z.string().nullable(),
  /** In the order in which routes reach them; the first 200 whose names contain `find`. */
  clusters: z.object({ total: z.number().int(), items: z.array(z.string()) }),
  /** null: the config has no cluster. */
  cluster: z.string().nullable(),
  tree: lbNode.nullable(),
  node: z.string().nullable(),
  config: z.unknown(),
  notes: z.array(z.string()),
  moment: moment.optional(),
});

export type LbTree = z.infer<typeof lbTree>;
export type LbTreeNode = z.infer<typeof lbNode>;
