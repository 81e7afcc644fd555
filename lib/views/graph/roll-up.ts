import { by } from '../../collections/compare';
import { statusShape } from '../drawing/status-shape';
import { containmentTreeOf } from './containment-tree';
import { type GraphIndex, linksOf } from './graph-index';
import { formatKind } from './node-kind';
import { shownName } from './node-text';
import type { GraphNode } from './schema';
import { isNodeInTrouble, nodeStatusRank, type Topology } from './topology';
import type { GraphFacts } from './topology-draft';

type Below = NonNullable<GraphNode['below']>;

const noHealthyEndpoint: Below = { status: 'UNHEALTHY', text: 'no healthy endpoint' };
const noWorkingEndpoint: Below = { status: 'UNHEALTHY', text: 'no endpoint that works' };
const noEndpoint: Below = { status: 'UNHEALTHY', text: 'no endpoint' };
/** In panic an Envoy ignores the health of the endpoints, so that requests may succeed. */
const panic: Below = {
  status: 'DEGRADED',
  text: 'no healthy endpoint: Envoy sends requests to all of them (panic)',
};
const partialPanic: Below = {
  status: 'DEGRADED',
  text: 'too few healthy endpoints: Envoy sends requests to all of them (panic)',
};

/**
 * Sets `below`: the worst that is reported of the nodes below each node. A cluster without an endpoint that works is worse
 * than any status, since its requests fail, unless an Envoy in panic sends them to all endpoints; a NACKED resource may have its
 * last good config in effect.
 */
export function rollUp(topology: Topology, facts: GraphFacts): Topology {
  const { nodes, edges } = topology;
  const { graph } = containmentTreeOf(topology);
  const below = findInTrouble(nodes, graph, facts);
  const troubled = new Map(below);
  const isPanic = (index: number): boolean => troubled.get(index)?.status === panic.status;
  const sources = [...troubled.keys()].sort(by(isPanic)).concat(rankedIssues(nodes));
  for (const source of sources) {
    const node = nodes[source];
    if (node === undefined) continue;
    const issue = issueOf(node, troubled.get(source));
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

/** The listeners without connections, and the clusters whose requests fail, or go to endpoints whatever their health. */
function findInTrouble(
  nodes: readonly GraphNode[],
  graph: GraphIndex,
  facts: GraphFacts,
): Map<number, Below> {
  const dead = findDeadClusters(nodes, graph, facts);
  const found = new Map<number, Below>();
  const mayServe = (endpoint: string): boolean => !facts.failing.has(endpoint);
  nodes.forEach(({ id, kind }, index) => {
    const closure = facts.closed.get(id);
    if (closure !== undefined) found.set(index, { status: 'UNHEALTHY', text: closure });
    if (kind !== 'cluster' || closure !== undefined) return;
    if (facts.empty.has(id)) found.set(index, noEndpoint);
    else if (facts.panicking.has(id) && idsBelow(nodes, graph, index, ['endpoint']).some(mayServe))
      found.set(index, dead.has(index) ? panic : partialPanic);
    else if (dead.has(index)) {
      const isMeasured =
        facts.failing.size > 0 && !idsBelow(nodes, graph, index, ['endpoint', 'locality']).every(mayServe);
      found.set(index, isMeasured ? noWorkingEndpoint : noHealthyEndpoint);
    } else {
      const limit = facts.limited.get(id);
      if (limit !== undefined) found.set(index, { status: 'DEGRADED', text: limit });
    }
  });
  return found;
}

/** The ids of the nodes of these kinds below a node. */
function idsBelow(
  nodes: readonly GraphNode[],
  graph: GraphIndex,
  from: number,
  kinds: readonly GraphNode['kind'][],
): string[] {
  const reached = new Set([from]);
  const found: string[] = [];
  // Iteration over a Set includes elements that are added during the iteration.
  for (const index of reached) {
    const node = nodes[index];
    if (node !== undefined && kinds.includes(node.kind)) found.push(node.id);
    for (const edge of linksOf(graph.outgoing, index)) reached.add(graph.target[edge] ?? from);
  }
  return found;
}

/** `trouble`: of a cluster in trouble. */
function issueOf(node: GraphNode, trouble: Below | undefined): Below {
  const named = `${formatKind(node.kind)} ${shownName(node)}`;
  if (trouble !== undefined) {
    const has = /^(no|too few) /.test(trouble.text) ? ' has' : ':';
    return { status: trouble.status, text: `${named}${has} ${trouble.text}` };
  }
  // Nothing states the health of a locality: requests to it fail.
  const word = node.kind === 'locality' ? 'fails' : statusShape(node.status).word;
  return { status: node.status, text: `${named} ${word}` };
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

/** The clusters whose endpoints are reported, and of which none works. */
function findDeadClusters(nodes: readonly GraphNode[], graph: GraphIndex, facts: GraphFacts): Set<number> {
  const known = new Map<number, Health>();
  const healthOf = (index: number, depth = 0): Health => {
    const node = nodes[index];
    const before = known.get(index);
    if (before !== undefined || node === undefined || depth > mostDepth) return before ?? 'unknown';
    // The value for a cluster that refers to itself.
    known.set(index, 'unknown');
    const health = ownHealth(node, facts) ?? bestOf(node, healthsBelow(index, depth + 1));
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
function ownHealth({ id, kind, status, hash }: GraphNode, facts: GraphFacts): Health | undefined {
  if (facts.empty.has(id) || facts.closed.has(id)) return 'dead';
  if (kind === 'endpoints') return hash === undefined ? 'unknown' : 'dead';
  if (facts.failing.has(id)) return 'dead';
  if (kind !== 'endpoint') return undefined;
  if (facts.degraded.has(id)) return 'usable';
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
