import { least } from 'd3';
import type { PlacedNode, TopologyLayout } from './layout-topology';

export type WalkDirection = 'left' | 'right' | 'up' | 'down';

/**
 * Returns the node that an arrow key selects: left and right along the edges, the neighbour nearest in height; up and
 * down within the column. Returns undefined at an end.
 */
export function walkTopology(
  layout: TopologyLayout,
  fromId: string,
  direction: WalkDirection,
): string | undefined {
  const from = layout.nodes.find(({ node }) => node.id === fromId);
  if (from === undefined) return layout.nodes[0]?.node.id;
  if (direction === 'left' || direction === 'right') {
    const [near, far] =
      direction === 'right' ? (['source', 'target'] as const) : (['target', 'source'] as const);
    const next = new Set(
      layout.edges.filter(({ edge }) => edge[near] === fromId).map(({ edge }) => edge[far]),
    );
    return nearest(
      layout.nodes.filter(({ node }) => next.has(node.id)),
      from,
    );
  }
  const isAhead = (other: PlacedNode): boolean =>
    direction === 'down' ? other.y > from.y : other.y < from.y;
  return nearest(
    layout.nodes.filter((other) => other.column === from.column && isAhead(other)),
    from,
  );
}

function nearest(candidates: readonly PlacedNode[], from: PlacedNode): string | undefined {
  const centreOf = ({ y, height }: PlacedNode): number => y + height / 2;
  return least(candidates, (candidate) => Math.abs(centreOf(candidate) - centreOf(from)))?.node.id;
}
