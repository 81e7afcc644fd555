import type { GraphEdge } from '@/lib/views/graph/schema';

/** Returns true if the edge leads from an aggregate cluster to a leaf that is not its first one. */
export function isFallbackEdge({ kind, label }: Pick<GraphEdge, 'kind' | 'label'>): boolean {
  return kind === 'aggregate' && label !== 'first';
}
