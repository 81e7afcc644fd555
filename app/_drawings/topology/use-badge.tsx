import { type NodeUse, shapeOfUse } from '@/lib/view-model/use-shape';
import { Badge } from './badge';

interface UseBadgeProps {
  readonly use: NodeUse;
  /** Centre of the badge. */
  readonly x: number;
  readonly y: number;
}

/** What a resolved config makes of a node, as a shape; nothing for what is used. */
export function UseBadge({ use, x, y }: UseBadgeProps) {
  const shape = shapeOfUse(use);
  return shape.path === '' ? null : <Badge shape={shape} glyphPx={11} x={x} y={y} />;
}
