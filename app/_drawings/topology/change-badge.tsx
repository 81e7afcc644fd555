import type { ChangeKind } from '@/lib/diff/change-kind';
import { changeShape } from '@/lib/view-model/changes/change-shape';
import { Badge } from './badge';

interface ChangeBadgeProps {
  readonly kind: ChangeKind;
  /** Centre of the badge. */
  readonly x: number;
  readonly y: number;
}

/** Added, removed or changed between two moments, as a shape. */
export function ChangeBadge({ kind, x, y }: ChangeBadgeProps) {
  return <Badge shape={changeShape(kind)} glyphPx={10} x={x} y={y} />;
}
