import { memo } from 'react';
import type { PlacedEdge } from '@/lib/view-model/topology/layout-topology';

interface TopologyEdgeProps {
  readonly placed: PlacedEdge;
  readonly light: 'lit' | 'dim' | '';
}

export const TopologyEdge = memo(function TopologyEdge({ placed: { edge, path }, light }: TopologyEdgeProps) {
  const isFallback = edge.kind === 'aggregate' && edge.label !== 'first';
  return <path className={`edge edge-${edge.kind} ${isFallback ? 'later ' : ''}${light}`.trim()} d={path} />;
});

/** Labels are above all edges. */
export const TopologyEdgeLabel = memo(function TopologyEdgeLabel({ placed, light }: TopologyEdgeProps) {
  if (placed.edge.label === '') return null;
  return (
    <text className={`label ${light}`.trim()} x={placed.labelX} y={placed.labelY}>
      {placed.edge.label}
    </text>
  );
});
