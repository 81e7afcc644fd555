import { z } from 'zod';
import { clientStatuses } from '../xds/status';
import { moment } from './moment';
import { nodeMark } from './node-mark';
import { time } from './words';

export const graphNodeKinds = [
  'listener',
  'route-config',
  'virtual-host',
  'route',
  'cluster',
  'priority',
  'locality',
  'endpoint',
  /** An EDS resource without endpoints to show: not received yet, not existing, empty. Else its priorities stand for it. */
  'endpoints',
  'secret',
  'aggregate',
] as const;
/**
 * What the graph says of a node. Resource nodes carry their ClientStatus; endpoints their EDS health
 * (envoy.config.core.v3.HealthStatus); MISSING is a reference to what the client does not hold.
 */
export const graphNodeStatuses = [
  ...clientStatuses,
  'HEALTHY',
  'UNHEALTHY',
  'DRAINING',
  'DEGRADED',
  'MISSING',
  'NONE',
] as const;
export const graphNode = z.object({
  id: z.string(),
  kind: z.enum(graphNodeKinds),
  /** The whole name; the drawing shortens. */
  name: z.string(),
  status: z.enum(graphNodeStatuses),
  /** A second line in words, as in "weight 80", "prefix /cart", "4 endpoints, 1 unhealthy". */
  detail: z.string(),
  /** The resource that it is, or is part of. */
  typeUrl: z.string().nullable(),
  resourceName: z.string().nullable(),
  hash: z.string().nullable(),
  /** The reason behind a bad status; empty when there is none. */
  reason: z.string(),
  /** For an aggregate: how many nodes of which kind it stands for, and how many of them are in trouble. */
  stands: z
    .object({ kind: z.enum(graphNodeKinds), count: z.number().int(), trouble: z.number().int() })
    .nullable(),
});
export const graphEdgeKinds = [
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
export const graphEdge = z.object({
  id: z.string(),
  source: z.string(),
  target: z.string(),
  kind: z.enum(graphEdgeKinds),
  /** As in "80 %" or "fallback 2"; empty when there is nothing to say. */
  label: z.string(),
});
export const graph = z.object({
  clientId: z.string(),
  at: time,
  nodes: z.array(graphNode),
  edges: z.array(graphEdge),
  /** Before aggregation. */
  totals: z.object({ nodes: z.number().int(), edges: z.number().int() }),
  aggregated: z.boolean(),
  /** By node id, aggregates left out: what the resolved config makes of it. Only when asked for by `resolve`. */
  marks: z.record(z.string(), nodeMark).optional(),
  /** Not there: now. */
  moment: moment.optional(),
});

export type GraphNodeKind = (typeof graphNodeKinds)[number];
export type GraphNodeStatus = (typeof graphNodeStatuses)[number];
export type GraphEdgeKind = (typeof graphEdgeKinds)[number];
export type GraphNode = z.infer<typeof graphNode>;
export type GraphEdge = z.infer<typeof graphEdge>;
export type Graph = z.infer<typeof graph>;
