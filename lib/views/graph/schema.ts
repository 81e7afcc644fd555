import * as z from 'zod';
import { graphNodeStatuses } from '../drawing/node-status';
import { time } from '../fields/answer-fields';
import { moment } from '../fields/moment';
import { graphNodeKinds } from './node-kinds';
import { nodeMark } from './node-mark';

const graphNode = z.object({
  id: z.string(),
  kind: z.enum(graphNodeKinds),
  /** The complete name; drawings shorten it. */
  name: z.string(),
  status: z.enum(graphNodeStatuses),
  /** As in "weight 80", "prefix /cart", "4 endpoints, 1 unhealthy". */
  detail: z.string(),
  /** The resource that the node represents or belongs to. */
  typeUrl: z.string().optional(),
  resourceName: z.string().optional(),
  /** The field of the resource that the node represents, as in "virtualHosts[2]"; absent: the whole resource, or not known. */
  fieldPath: z.string().optional(),
  hash: z.string().optional(),
  /** The reason why the status is bad; empty otherwise. */
  reason: z.string(),
  /** The most severe status among the nodes below, as in "cluster cart has no healthy endpoint"; absent if none is in trouble. */
  below: z.object({ status: z.enum(graphNodeStatuses), text: z.string() }).optional(),
  /** The reason why the resource is not in use: no listener leads to it. Empty otherwise. */
  unused: z.string(),
  /** For an aggregate: the number of its nodes by kind, and of those in trouble. */
  stands: z
    .object({ kind: z.enum(graphNodeKinds), count: z.number().int(), trouble: z.number().int() })
    .optional(),
});
const graphEdgeKinds = [
  'rds',
  'inline',
  'contains',
  'routes',
  'weighted',
  'mirror',
  'aggregate',
  'eds',
  'priority',
  'member',
  'tls',
] as const;
const graphEdge = z.object({
  id: z.string(),
  source: z.string(),
  target: z.string(),
  kind: z.enum(graphEdgeKinds),
  /** As in "80%" or "fallback 2"; may be empty. */
  label: z.string(),
});
export const graph = z.object({
  clientId: z.string(),
  at: time,
  nodes: z.array(graphNode),
  edges: z.array(graphEdge),
  /** The numbers before aggregation. */
  totals: z.object({ nodes: z.number().int(), edges: z.number().int() }),
  aggregated: z.boolean(),
  /** The number of nodes that `hide` removed. */
  hidden: z.number().int(),
  /** All matches of `find`, drawn or not; present only with it. */
  matches: z
    .object({
      find: z.string(),
      total: z.number().int(),
      /** The index of the first of `ids` among all matches. */
      first: z.number().int(),
      /** The ids of at most 1,000 nodes. */
      ids: z.array(z.string()),
    })
    .optional(),
  /**
   * The mark of each node by the effective config, by node id, without aggregates. Present only with `resolve` or
   * `target`.
   */
  marks: z.record(z.string(), nodeMark).optional(),
  /** Absent: now. */
  moment: moment.optional(),
});

export type GraphEdgeKind = (typeof graphEdgeKinds)[number];
export type GraphNode = z.infer<typeof graphNode>;
export type GraphEdge = z.infer<typeof graphEdge>;
export type Graph = z.infer<typeof graph>;
