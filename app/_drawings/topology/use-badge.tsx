import type { CSSProperties } from 'react';
import { type NodeUse, shapeOfUse } from '@/lib/format/use-shape';
import { themed } from './topology-style';

interface UseBadgeProps {
  readonly use: NodeUse;
  /** Centre of the badge. */
  readonly x: number;
  readonly y: number;
}

const radiusPx = 7.5;
const glyphPx = 11;

/** What a resolved config makes of a node, as a shape; nothing for what is used. */
export function UseBadge({ use, x, y }: UseBadgeProps) {
  const { path, variable } = shapeOfUse(use);
  if (path === '') return null;
  return (
    <g transform={`translate(${x} ${y})`} style={{ '--use': themed(variable) } as CSSProperties}>
      <circle className="badge-ground" r={radiusPx} />
      <path
        className="badge"
        d={path}
        transform={`translate(${-glyphPx / 2} ${-glyphPx / 2}) scale(${glyphPx / 16})`}
      />
    </g>
  );
}
