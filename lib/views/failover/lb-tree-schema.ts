/**
 * GET clients/{id}/lb-tree and GET permalinks/{id}/lb-tree: the LB policies that a gRPC client builds for one cluster.
 *
 *   clusters        the config's clusters; the tree is of `cluster`, by default the first
 *   tree            policies inside each other; of many localities and endpoints the first are listed, the rest counted
 *   config          service config of the policy that `node` names, by default all of it; absent: the client writes none
 */
import * as z from 'zod';
import { lbEndpoint, lbPolicy } from '../../lb/tree/lb-schemas';
import { time } from '../fields/answer-fields';
import { moment } from '../fields/moment';
import { profile } from '../findings/schema';

const lbNode = lbPolicy.extend({
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
  at: time,
  /** Equal as long as the client and the question are unchanged. */
  revision: z.string(),
  /** The profile of gRPC whose LB policies these are; for an Envoy, that of C-core. */
  profile,
  /** The listener with which the config begins; absent: the client has no listener. */
  listener: z.string().optional(),
  /** The clusters in the order in which routes reach them; the first 200 whose names contain `find`. */
  clusters: z.object({ total: z.number().int(), items: z.array(z.string()) }),
  /** Absent: the config has no cluster. */
  cluster: z.string().optional(),
  tree: lbNode.optional(),
  node: z.string().optional(),
  config: z.unknown().optional(),
  notes: z.array(z.string()),
  moment: moment.optional(),
});

export type LbTree = z.infer<typeof lbTree>;
export type LbTreeNode = z.infer<typeof lbNode>;
