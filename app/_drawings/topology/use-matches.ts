import { useEffect, useMemo, useRef } from 'react';
import { listMatches } from '@/lib/views/graph/find-in-topology';
import type { Graph } from '@/lib/views/graph/schema';
import type { TopologyPanelState } from './topology-panel-state';

export type Found = NonNullable<Graph['matches']>;

interface Matches {
  /** undefined: not counted yet. */
  readonly found: Found | undefined;
  /** The ids of found nodes; null without a search. */
  readonly matches: ReadonlySet<string> | null;
  /** Selects the next or the previous match, which moves the graph to it. */
  readonly walkMatches: (step: 1 | -1) => void;
}

/** The matches of the search in the whole config. The server counts them if not all nodes are drawn. */
export function useMatches(
  graph: Graph,
  state: TopologyPanelState,
  onStateChange: (change: Partial<TopologyPanelState>, history?: 'replace') => void,
): Matches {
  const { selected, match } = state;
  const find = state.find.trim();
  const found = useMemo(() => {
    if (find === '') return undefined;
    if (!graph.aggregated || match === undefined) return listMatches(graph, find);
    return graph.matches?.find === find ? graph.matches : undefined;
  }, [graph, find, match]);
  const matches = useMemo(() => (find === '' ? null : new Set(found?.ids)), [find, found]);

  // A match that is not drawn is selected when the graph with it has arrived.
  const awaited = useRef<number | null>(null);
  useEffect(() => {
    const [id] = found?.ids ?? [];
    if (id === undefined || awaited.current !== found?.first) return;
    awaited.current = null;
    onStateChange({ selected: id }, 'replace');
  }, [found, onStateChange]);

  const walkMatches = (step: 1 | -1): void => {
    if (found === undefined || found.total === 0) return;
    const at = found.ids.indexOf(selected ?? '');
    const from = at >= 0 ? found.first + at : step > 0 ? found.first - 1 : found.first;
    const next = (from + step + found.total) % found.total;
    const id = found.ids[next - found.first];
    if (id !== undefined && graph.nodes.some((node) => node.id === id)) {
      onStateChange({ selected: id }, 'replace');
    } else {
      awaited.current = next;
      onStateChange({ match: next });
    }
  };
  return { found, matches, walkMatches };
}
