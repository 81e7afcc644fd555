import type { GraphNodeStatus } from '@/lib/api/schema';
import { StatusGlyph, toneOf } from './status-glyph';

interface RollUpMarkProps {
  readonly status: GraphNodeStatus;
  /** The centre. */
  readonly x: number;
  readonly y: number;
}

const glyphPx = 9;

/** The worst status below a node, in a circle at its corner. */
export function RollUpMark({ status, x, y }: RollUpMarkProps) {
  return (
    <g transform={`translate(${x} ${y})`} style={toneOf(status)}>
      <circle className="roll-up" r={7} />
      <StatusGlyph status={status} x={-glyphPx / 2} y={-glyphPx / 2} sizePx={glyphPx} />
    </g>
  );
}
