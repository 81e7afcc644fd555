/**
 * GET clients/{id}/lb-tree and GET permalinks/{id}/lb-tree: the LB policies that a gRPC client builds for one cluster.
 *
 *   clusters        the config's clusters; the tree is of `cluster`, by default the first
 *   tree            policies inside each other; of many localities and endpoints the first are listed, the rest counted
 *   config          service config of the policy that `node` names, by default all of it; null: the client writes none
 */
import { z } from 'zod';
import { clientKinds } from '../lb/client-kind';
import { standings } from '../lb/tree/lb-node';
import { moment } from './moment';

const use = z.enum(['used', 'ignored']);

const lbEndpoint = z.object({
  address: z.string(),
  /** In words. */
  locality: z.string(),
  /** envoy.config.core.v3.HealthStatus. */
  health: z.string(),
  /** What the policy weighs it by; null: all alike. */
  weight: z.number().nullable(),
  use,
  /** Why it is ignored; else empty. */
  reason: z.string(),
});

const lbNode = z.object({
  /** The same in the next answer. */
  id: z.string(),
  /** As the client names it: "priority_experimental". */
  policy: z.string(),
  /** By which its parent knows it; empty for an only child. */
  name: z.string(),
  /** In words; empty when the policy says all. */
  label: z.string(),
  use,
  reason: z.string(),
  /**
   * Of a child of a priority policy, by the endpoints that EDS delivered: live, it has the requests; failed, it was tried, and none of its
   * endpoints is usable; standby, it is only tried when those before it fail. null: it is no such child, or ignored.
   */
  standing: z.enum(standings).nullable(),
  /** The list of policies that it was chosen from, itself among them; empty where there was no choice. */
  listed: z.array(z.object({ typeName: z.string(), use, reason: z.string() })),
  /** What it does, a sentence each. */
  facts: z.array(z.string()),
  get children() {
    return z.array(lbNode);
  },
  /** All of them; of localities at most 40 are listed of the tree, as many of each priority, ignored ones first. */
  childrenTotal: z.number().int(),
  endpoints: z.array(lbEndpoint),
  /** All of them; at most 12 are listed of one policy, and 60 of the tree, ignored ones first. */
  endpointsTotal: z.number().int(),
});

export const lbTree = z.object({
  clientId: z.string(),
  /** The moment that it is true for. */
  at: z.iso.datetime(),
  /** The same as long as the client and the question stay the same. */
  revision: z.string(),
  /** Whose tree: it may be another's than the client's. */
  clientKind: z.enum(clientKinds),
  /** What the config begins with; null: the client has no listener. */
  listener: z.string().nullable(),
  /** In the order in which routes reach them; the first 200 whose names hold `find`. */
  clusters: z.object({ total: z.number().int(), items: z.array(z.string()) }),
  /** null: the config has none. */
  cluster: z.string().nullable(),
  tree: lbNode.nullable(),
  node: z.string().nullable(),
  config: z.unknown(),
  notes: z.array(z.string()),
  moment: moment.optional(),
});

export type LbTree = z.infer<typeof lbTree>;
export type LbTreeNode = z.infer<typeof lbNode>;
