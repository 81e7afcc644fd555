import { by } from '../../collections/compare';
import { statusShape } from '../drawing/status-shape';
import { containmentTreeOf } from './containment-tree';
import { type GraphIndex, linksOf } from './graph-index';
import { formatKind } from './node-kind';
import { shownName } from './node-text';
import type { GraphNode } from './schema';
import { isNodeInTrouble, nodeStatusRank, type Topology } from './topology';

type Below = NonNullable<GraphNode['below']>;

const noHealthyEndpoint: Below = { status: 'UNHEALTHY', text: 'no healthy endpoint' };
/** In panic an Envoy ignores the health of the endpoints, so that requests may succeed. */
const panic: Below = {
  status: 'DEGRADED',
  text: 'no healthy endpoint: Envoy sends requests to all of them (panic)',
};

/**
 * Sets `below`: the worst that is reported of the nodes below each node. A cluster without a healthy endpoint is worse
 * than any status, since its requests fail, unless it is one of `panicking`, the ids of clusters that then send requests to
 * all endpoints; a NACKED resource may have its last good config in effect.
 */
export function rollUp(topology: Topology, panicking: ReadonlySet<string> = new Set()): Topology {
  const { nodes, edges } = topology;
  const { graph } = containmentTreeOf(topology);
  const dead = findDeadClusters(nodes, graph);
  const panics = (index: number): boolean =>
    panicking.has(nodes[index]?.id ?? '') && leadsToEndpoint(nodes, graph, index);
  const below = new Map<number, Below>(
    [...dead].map((node) => [node, panics(node) ? panic : noHealthyEndpoint]),
  );
  const sources = [...dead].sort(by(panics)).concat(rankedIssues(nodes));
  for (const source of sources) {
    const node = nodes[source];
    if (node === undefined) continue;
    const issue = issueOf(node, dead.has(source) ? below.get(source) : undefined);
    const open = [source];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const edge of linksOf(graph.incoming, at)) {
        const parent = graph.source[edge] ?? -1;
        // A parent with a mark was reached from a worse node, and so were its own parents.
        if (parent === source || below.has(parent)) continue;
        below.set(parent, issue);
        open.push(parent);
      }
    }
  }
  const marked = [...nodes];
  for (const [index, issue] of below) {
    const node = nodes[index];
    if (node !== undefined) marked[index] = { ...node, below: issue };
  }
  return { nodes: marked, edges };
}

function leadsToEndpoint(nodes: readonly GraphNode[], graph: GraphIndex, from: number): boolean {
  const reached = new Set([from]);
  // Iteration over a Set includes elements that are added during the iteration.
  for (const index of reached) {
    if (nodes[index]?.kind === 'endpoint') return true;
    for (const edge of linksOf(graph.outgoing, index)) reached.add(graph.target[edge] ?? from);
  }
  return false;
}

/** `dead` is set for a cluster without a healthy endpoint. */
function issueOf(node: GraphNode, dead: Below | undefined): Below {
  const named = `${formatKind(node.kind)} ${shownName(node)}`;
  if (dead !== undefined) return { status: dead.status, text: `${named} has ${dead.text}` };
  return { status: node.status, text: `${named} ${statusShape(node.status).word}` };
}

/**
 * Returns the nodes that are issues, worst first. An unknown status counts only for endpoints: clients do not request
 * every cluster.
 */
function rankedIssues(nodes: readonly GraphNode[]): number[] {
  const isIssue = (node: GraphNode): boolean =>
    isNodeInTrouble(node) ||
    (node.status === 'UNKNOWN' && (node.kind === 'endpoint' || node.kind === 'endpoints'));
  return nodes
    .flatMap((node, index) => (isIssue(node) ? [{ index, rank: nodeStatusRank(node.status) }] : []))
    .sort(by(({ rank }) => rank))
    .map(({ index }) => index);
}

/** Aggregate clusters that refer to each other further than this have unknown health. */
const mostDepth = 64;

type Health = 'usable' | 'unknown' | 'dead';

/** The clusters whose endpoints are reported, and of which none is healthy. */
function findDeadClusters(nodes: readonly GraphNode[], graph: GraphIndex): Set<number> {
  const known = new Map<number, Health>();
  const healthOf = (index: number, depth = 0): Health => {
    const node = nodes[index];
    const before = known.get(index);
    if (before !== undefined || node === undefined || depth > mostDepth) return before ?? 'unknown';
    // The value for a cluster that refers to itself.
    known.set(index, 'unknown');
    const health = ownHealth(node) ?? bestOf(node, healthsBelow(index, depth + 1));
    known.set(index, health);
    return health;
  };
  const healthsBelow = (index: number, depth: number): Health[] => {
    const healths: Health[] = [];
    for (const edge of linksOf(graph.outgoing, index)) {
      const child = graph.target[edge] ?? -1;
      if (nodes[child]?.kind !== 'secret') healths.push(healthOf(child, depth));
    }
    return healths;
  };
  const dead = new Set<number>();
  nodes.forEach(({ kind }, index) => {
    if (kind === 'cluster' && healthOf(index) === 'dead') dead.add(index);
  });
  return dead;
}

/** undefined: the health of its children decides. */
function ownHealth({ kind, status, hash }: GraphNode): Health | undefined {
  if (kind === 'endpoints') return hash === undefined ? 'unknown' : 'dead';
  if (kind !== 'endpoint') return undefined;
  if (status === 'UNKNOWN') return 'unknown';
  // NONE: no health is reported, and clients send requests to it.
  return status === 'HEALTHY' || status === 'NONE' ? 'usable' : 'dead';
}

/** One usable endpoint is enough. */
function bestOf({ kind }: GraphNode, children: readonly Health[]): Health {
  if (children.includes('usable')) return 'usable';
  // The endpoints of a cluster without children are not in the config.
  if (children.includes('unknown') || (kind === 'cluster' && children.length === 0)) return 'unknown';
  return 'dead';
}
