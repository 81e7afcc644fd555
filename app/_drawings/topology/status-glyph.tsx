import type { CSSProperties } from 'react';
import type { GraphNodeStatus } from '@/lib/views/drawing/node-status';
import { statusShape, statusStrokeWidth } from '@/lib/views/drawing/status-shape';
import { themed } from './topology-style';

interface StatusGlyphProps {
  readonly status: GraphNodeStatus;
  readonly x: number;
  readonly y: number;
  readonly sizePx: number;
}

/** The shape of a status; nothing for NONE. */
export function StatusGlyph({ status, x, y, sizePx }: StatusGlyphProps) {
  const { path, filled } = statusShape(status);
  if (path === '') return null;
  return (
    <path
      className={filled ? 'mark filled' : 'mark'}
      style={toneOf(status)}
      d={path}
      strokeWidth={statusStrokeWidth}
      transform={`translate(${x} ${y}) scale(${sizePx / 16})`}
    />
  );
}

/** Sets --tone, the colour of marks, frames and tints. */
export function toneOf(status: GraphNodeStatus): CSSProperties {
  return { '--tone': themed(statusShape(status).variable) } as CSSProperties;
}
