import { findInTopology } from './find-in-topology';
import { indexGraph, linksOf } from './graph-index';
import type { GraphNodeKind } from './node-kinds';
import type { Topology } from './topology';

/** Parts of other nodes, which are hidden with them. Other nodes are resources of their own. */
const parts: ReadonlySet<GraphNodeKind> = new Set([
  'virtual-host',
  'route',
  'priority',
  'locality',
  'endpoint',
  'endpoints',
]);

/** Removes the nodes that any of the search texts finds, and the parts that are left without a parent. */
export function hideNodes(topology: Topology, texts: readonly string[]): Topology {
  if (texts.length === 0) return topology;
  const { nodes, edges } = topology;
  const graph = indexGraph(nodes, edges);
  const { indexOf } = graph;
  const hidden = new Set<number>();
  for (const text of texts) for (const id of findInTopology(nodes, text)) hidden.add(indexOf.get(id) ?? -1);
  // Iteration over a Set includes elements that are added during the iteration.
  for (const node of hidden) {
    for (const edge of linksOf(graph.outgoing, node)) {
      const child = graph.target[edge] ?? -1;
      const kind = nodes[child]?.kind;
      if (kind === undefined || !parts.has(kind)) continue;
      const parents = [...linksOf(graph.incoming, child)].map((incoming) => graph.source[incoming] ?? -1);
      if (parents.every((parent) => hidden.has(parent))) hidden.add(child);
    }
  }
  return {
    nodes: nodes.filter((_, index) => !hidden.has(index)),
    edges: edges.filter(
      (_, index) => !hidden.has(graph.source[index] ?? -1) && !hidden.has(graph.target[index] ?? -1),
    ),
  };
}
