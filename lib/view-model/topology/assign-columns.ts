import type { GraphEdge, GraphNode, GraphNodeKind } from '../../api/schema';
import { ascending } from '../../collections/compare';

/** gRFC A37: aggregate clusters are nested at most 16 deep. Deeper ones share the last column. */
const maxNesting = 16;

/** The kind determines the rank. Clusters may take several columns; the kinds of higher rank follow them. */
const rankOf: Readonly<Record<Exclude<GraphNodeKind, 'aggregate' | 'secret'>, number>> = {
  listener: 0,
  'route-config': 1,
  'virtual-host': 2,
  route: 3,
  cluster: 4,
  priority: 5,
  endpoints: 5,
  locality: 6,
  endpoint: 7,
};

/**
 * Returns the column of each node, from 0 without gaps. An aggregate cluster is to the left of its leaves, and leaves are
 * in one column. A secret is to the right of the listeners and clusters that use it.
 */
export function assignColumns(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Map<string, number> {
  const kinds = new Map(nodes.map((node) => [node.id, node.stands?.kind ?? node.kind]));
  const nesting = nestClusters(edges);
  const deepest = Math.max(0, ...nesting.values());
  const secretRanks = new Map<string, number>();
  for (const { source, target, kind } of edges) {
    if (kind !== 'tls') continue;
    const rank = kinds.get(source) === 'listener' ? rankOf['route-config'] : rankOf.priority;
    secretRanks.set(target, Math.max(rank, secretRanks.get(target) ?? 0));
  }

  const raw = new Map<string, number>();
  for (const { id } of nodes) {
    const kind = kinds.get(id) ?? 'secret';
    const rank =
      kind === 'secret' || kind === 'aggregate' ? (secretRanks.get(id) ?? rankOf.priority) : rankOf[kind];
    const behindClusters = rank > rankOf.cluster ? deepest : 0;
    raw.set(id, kind === 'cluster' ? rank + deepest - (nesting.get(id) ?? 0) : rank + behindClusters);
  }
  const used = [...new Set(raw.values())].sort(ascending);
  const packed = new Map(used.map((rank, column) => [rank, column]));
  return new Map([...raw].map(([id, rank]) => [id, packed.get(rank) ?? 0]));
}

/** Counts the levels of leaves below each aggregate. A cluster in a cycle counts once. */
function nestClusters(edges: readonly GraphEdge[]): Map<string, number> {
  const leaves = new Map<string, string[]>();
  for (const { kind, source, target } of edges) {
    if (kind === 'aggregate' && source !== target)
      leaves.set(source, [...(leaves.get(source) ?? []), target]);
  }
  const nesting = new Map<string, number>();
  const open = new Set<string>();
  const nest = (id: string): number => {
    const known = nesting.get(id);
    if (known !== undefined) return known;
    if (open.has(id) || open.size >= maxNesting) return 0;
    open.add(id);
    const own = leaves.get(id) ?? [];
    const levels = own.length === 0 ? 0 : 1 + Math.max(...own.map(nest));
    open.delete(id);
    nesting.set(id, levels);
    return levels;
  };
  for (const id of leaves.keys()) nest(id);
  return nesting;
}
