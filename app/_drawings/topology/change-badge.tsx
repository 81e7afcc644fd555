import type { CSSProperties } from 'react';
import { changeShape } from '@/lib/format/change-shape';
import type { ChangeKind } from '@/lib/view-model/changes/build-changes';
import { themed } from './topology-style';

interface ChangeBadgeProps {
  readonly kind: ChangeKind;
  /** Centre of the badge. */
  readonly x: number;
  readonly y: number;
}

const radiusPx = 7.5;
const glyphPx = 10;

/** Added, removed or changed between two moments, as a shape. */
export function ChangeBadge({ kind, x, y }: ChangeBadgeProps) {
  const { path, variable } = changeShape(kind);
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
