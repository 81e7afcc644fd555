import { type GraphIndex, linksOf } from './graph-index';

interface PathThrough {
  /** The node itself first, then by distance. */
  readonly nodes: ReadonlySet<number>;
  readonly edges: ReadonlySet<number>;
}

export function pathThrough(graph: GraphIndex, node: number): PathThrough {
  const nodes = new Set([node]);
  const edges = new Set<number>();
  const sides = [
    { links: graph.incoming, ahead: graph.source, front: [node], seen: new Set([node]) },
    { links: graph.outgoing, ahead: graph.target, front: [node], seen: new Set([node]) },
  ];
  // Steps up and down alternate, so that the first nodes are the near ones on both sides.
  while (sides.some((side) => side.front.length > 0)) {
    for (const side of sides) {
      const next: number[] = [];
      for (const from of side.front) {
        for (const edge of linksOf(side.links, from)) {
          edges.add(edge);
          const ahead = side.ahead[edge] ?? -1;
          if (side.seen.has(ahead)) continue;
          side.seen.add(ahead);
          nodes.add(ahead);
          next.push(ahead);
        }
      }
      side.front = next;
    }
  }
  return { nodes, edges };
}
