import type { GraphEdge, GraphNode } from './schema';

export interface TopologyLink {
  readonly id: string;
  readonly name: string;
  /** The label of the edge: "80%", "fallback 1". */
  readonly label: string;
}

interface TopologyRow {
  readonly node: GraphNode;
  readonly from: readonly TopologyLink[];
  readonly to: readonly TopologyLink[];
}

export function buildTopologyRows(graph: {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}): TopologyRow[] {
  const names = new Map(graph.nodes.map(({ id, name }) => [id, name]));
  const from = new Map<string, TopologyLink[]>();
  const to = new Map<string, TopologyLink[]>();
  const link = (links: Map<string, TopologyLink[]>, at: string, id: string, label: string): void => {
    const own = links.get(at) ?? [];
    links.set(at, own);
    own.push({ id, name: names.get(id) ?? id, label });
  };
  for (const { source, target, label } of graph.edges) {
    link(to, source, target, label);
    link(from, target, source, label);
  }
  return graph.nodes.map((node) => ({ node, from: from.get(node.id) ?? [], to: to.get(node.id) ?? [] }));
}
