import type { GraphEdge } from './schema';

type Link = Pick<GraphEdge, 'source' | 'target'>;

/**
 * A graph with numbered nodes and edges, in the order given. The links of node n are
 * `edges[start[n]] .. edges[start[n + 1] - 1]`, in the order of the edges.
 */
export interface GraphIndex {
  readonly indexOf: ReadonlyMap<string, number>;
  /** The node of each edge; -1 if the graph does not have that node. */
  readonly source: Int32Array;
  readonly target: Int32Array;
  readonly outgoing: Links;
  readonly incoming: Links;
}

interface Links {
  readonly start: Int32Array;
  readonly edges: Int32Array;
}

export function indexGraph(nodes: readonly { readonly id: string }[], edges: readonly Link[]): GraphIndex {
  const indexOf = new Map(nodes.map((node, index) => [node.id, index]));
  const source = Int32Array.from(edges, (edge) => indexOf.get(edge.source) ?? -1);
  const target = Int32Array.from(edges, (edge) => indexOf.get(edge.target) ?? -1);
  return {
    indexOf,
    source,
    target,
    outgoing: groupByNode(source, target, nodes.length),
    incoming: groupByNode(target, source, nodes.length),
  };
}

export function linksOf({ start, edges }: Links, node: number): Int32Array {
  return edges.subarray(start[node], start[node + 1]);
}

/** Leaves out edges with a missing end, and edges from a node to itself. */
function groupByNode(node: Int32Array, other: Int32Array, nodes: number): Links {
  const start = new Int32Array(nodes + 1);
  const counts = (edge: number): boolean => {
    const [from = -1, to = -1] = [node[edge], other[edge]];
    return from >= 0 && to >= 0 && from !== to;
  };
  let size = 0;
  for (let edge = 0; edge < node.length; edge += 1) {
    if (!counts(edge)) continue;
    size += 1;
    const next = (node[edge] ?? 0) + 1;
    start[next] = (start[next] ?? 0) + 1;
  }
  for (let index = 1; index <= nodes; index += 1)
    start[index] = (start[index] ?? 0) + (start[index - 1] ?? 0);
  const edges = new Int32Array(size);
  const at = start.slice();
  for (let edge = 0; edge < node.length; edge += 1) {
    if (!counts(edge)) continue;
    const place = at[node[edge] ?? 0] ?? 0;
    edges[place] = edge;
    at[node[edge] ?? 0] = place + 1;
  }
  return { start, edges };
}
