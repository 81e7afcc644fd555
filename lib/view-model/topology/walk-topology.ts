import type { PlacedNode, TopologyLayout } from './layout-topology';

export type WalkDirection = 'left' | 'right' | 'up' | 'down';

/**
 * Where an arrow key leads: left and right along the edges, to the neighbour that is nearest in height; up and down
 * within the column. undefined at an end.
 */
export function walkTopology(
  layout: TopologyLayout,
  fromId: string,
  direction: WalkDirection,
): string | undefined {
  const from = layout.nodes.find(({ node }) => node.id === fromId);
  if (from === undefined) return layout.nodes[0]?.node.id;
  if (direction === 'left' || direction === 'right') {
    const next = new Set(
      layout.edges.flatMap(({ edge }) => {
        const [near, far] = direction === 'right' ? [edge.source, edge.target] : [edge.target, edge.source];
        return near === fromId ? [far] : [];
      }),
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
  const distance = ({ y, height }: PlacedNode): number =>
    Math.abs(y + height / 2 - (from.y + from.height / 2));
  let best: PlacedNode | undefined;
  for (const candidate of candidates) {
    if (best === undefined || distance(candidate) < distance(best)) best = candidate;
  }
  return best?.node.id;
}
