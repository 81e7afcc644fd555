import { startTransition, useEffect, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { by } from '@/lib/collections/compare';
import type { PlacedNode } from '@/lib/view-model/topology/layout-topology';

/** Rendering, style and layout of this many nodes with their edges take about 50 ms on a slow machine. */
const mostNew = 80;

export interface GradualNodes {
  /** IDs of the nodes to draw now. */
  readonly drawn: ReadonlySet<string>;
  /** Draws all nodes before it returns. */
  readonly drawAll: () => void;
}

/** Draws the nodes of a large graph in several tasks, those near `y` first, so that no task blocks the page. */
export function useGradualNodes(nodes: readonly PlacedNode[], y: number): GradualNodes {
  const [before, setBefore] = useState<ReadonlySet<string>>(new Set());
  const drawn = useMemo(() => {
    const missing = nodes.filter(({ node }) => !before.has(node.id));
    if (missing.length === 0) return before;
    const distance = (placed: PlacedNode) => Math.abs(placed.y - y);
    missing.sort(by(distance));
    const later = new Set(missing.slice(mostNew));
    return idsOf(nodes.filter((placed) => !later.has(placed)));
  }, [nodes, before, y]);
  useEffect(() => startTransition(() => setBefore(drawn)), [drawn]);
  return { drawn, drawAll: () => flushSync(() => setBefore(idsOf(nodes))) };
}

function idsOf(nodes: readonly PlacedNode[]): ReadonlySet<string> {
  return new Set(nodes.map(({ node }) => node.id));
}
