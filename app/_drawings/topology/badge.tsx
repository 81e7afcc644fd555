import type { CSSProperties } from 'react';
import { themed } from './topology-style';

interface BadgeProps {
  /** A path in a square of 16, and a colour variable. */
  readonly shape: { readonly path: string; readonly variable: Parameters<typeof themed>[0] };
  readonly glyphPx: number;
  readonly x: number;
  readonly y: number;
}

const radiusPx = 7.5;

/** A shape at the corner of a node; nothing without a path. */
export function Badge({ shape: { path, variable }, glyphPx, x, y }: BadgeProps) {
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
