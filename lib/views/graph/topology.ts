import type { GraphNodeStatus } from '../drawing/node-status';
import type { GraphEdge, GraphNode } from './schema';

/** The graph of a client's configuration, without aggregation and layout. */
export interface Topology {
  /** The nodes in a fixed order: by kind, then listeners, clusters and secrets by name, routes by precedence. */
  readonly nodes: GraphNode[];
  readonly edges: GraphEdge[];
}

/** Worst first. Other statuses are not problems: Envoy warms and drains, REQUESTED is recent, UNKNOWN is not reported. */
const trouble: readonly GraphNodeStatus[] = [
  'NACKED',
  'RECEIVED_ERROR',
  'UNHEALTHY',
  'TIMEOUT',
  'DOES_NOT_EXIST',
  'MISSING',
  'DEGRADED',
];
const severity: readonly GraphNodeStatus[] = [
  ...trouble,
  'UNKNOWN',
  'REQUESTED',
  'WARMING',
  'NO_ANSWER',
  'DRAINING',
  'ACTIVE',
  'ACKED',
  'HEALTHY',
  'NONE',
];
const rankOf = new Map(severity.map((status, rank) => [status, rank]));

/** 0 is the worst. */
export function nodeStatusRank(status: GraphNodeStatus): number {
  return rankOf.get(status) ?? severity.length;
}

export function isNodeInTrouble(node: Pick<GraphNode, 'status'>): boolean {
  return nodeStatusRank(node.status) < trouble.length;
}
