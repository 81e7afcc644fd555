import type { GraphEdge } from '../../api/schema';

type Link = Pick<GraphEdge, 'id' | 'source' | 'target'>;

export interface PathThrough {
  /** With the node itself first, then by distance. */
  readonly nodes: ReadonlySet<string>;
  readonly edges: ReadonlySet<string>;
}

/** Everything up- and downstream of a node: what can lead to it, and what it can lead to. */
export function pathThrough(edges: readonly Link[], nodeId: string): PathThrough {
  const outgoing = groupBy(edges, (edge) => edge.source);
  const incoming = groupBy(edges, (edge) => edge.target);
  const nodes = new Set([nodeId]);
  const found = new Set<string>();
  const upstream = {
    front: [nodeId],
    seen: new Set([nodeId]),
    links: incoming,
    ahead: (edge: Link) => edge.source,
  };
  const downstream = {
    front: [nodeId],
    seen: new Set([nodeId]),
    links: outgoing,
    ahead: (edge: Link) => edge.target,
  };
  // A step up, a step down, so that a limited reader has what is near in both directions.
  while (upstream.front.length + downstream.front.length > 0) {
    for (const side of [upstream, downstream]) {
      const next: string[] = [];
      for (const edge of side.front.flatMap((id) => side.links.get(id) ?? [])) {
        found.add(edge.id);
        const ahead = side.ahead(edge);
        if (side.seen.has(ahead)) continue;
        side.seen.add(ahead);
        nodes.add(ahead);
        next.push(ahead);
      }
      side.front = next;
    }
  }
  return { nodes, edges: found };
}

function groupBy(edges: readonly Link[], keyOf: (edge: Link) => string): Map<string, Link[]> {
  const groups = new Map<string, Link[]>();
  for (const edge of edges) {
    const group = groups.get(keyOf(edge));
    if (group === undefined) groups.set(keyOf(edge), [edge]);
    else group.push(edge);
  }
  return groups;
}
