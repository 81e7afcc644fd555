import { useEffect, useMemo, useRef } from 'react';
import type { Graph } from '@/lib/api/schema';
import { layoutTopology, type TopologyLayout } from '@/lib/view-model/topology/layout-topology';

/** Lays a graph out next to the layout before it, so that a live update moves only what changed. */
export function useTopologyLayout(graph: Graph): TopologyLayout {
  const previous = useRef<{ clientId: string; order: ReadonlyMap<string, number> } | null>(null);
  const layout = useMemo(() => {
    const before = previous.current;
    return layoutTopology(graph, before?.clientId === graph.clientId ? { previousOrder: before.order } : {});
  }, [graph]);
  useEffect(() => {
    previous.current = { clientId: graph.clientId, order: layout.order };
  }, [graph.clientId, layout]);
  return layout;
}
