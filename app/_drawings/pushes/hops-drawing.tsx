import { statusShape } from '@/lib/views/drawing/status-shape';
import type { Hop, HopMark, HopsLayout } from '@/lib/views/pushes/layout-hops';
import { Picture } from '../picture';

const labels: Readonly<Record<Hop, string>> = {
  sotw: 'Probe, SotW',
  delta: 'Probe, delta',
  controlPlane: 'Control plane',
  client: 'Clients',
};

const shapes = {
  sent: statusShape('REQUESTED'),
  ACKED: statusShape('ACKED'),
  NACKED: statusShape('NACKED'),
  reported: statusShape('ACTIVE'),
} as const;

/** The width of the lane labels. */
export const hopLabelsPx = 128;
const glyphPx = 10;

/** A lane for each hop of a push: when it was sent to the hop, and answered. */
export function HopsDrawing({ layout, label }: { readonly layout: HopsLayout; readonly label: string }) {
  const { plot, lanes, ticks, heightPx } = layout;
  return (
    <Picture size={layout} label={label} fill="var(--text-muted)">
      {lanes.map(({ hop, y, marks, count }) => (
        <g key={hop}>
          <text x={0} y={y + 4} fill="var(--text)">
            {labels[hop]}
            <tspan fill="var(--text-muted)">{` ${count}`}</tspan>
          </text>
          <line x1={plot.x} x2={plot.x + plot.width} y1={y} y2={y} stroke="var(--border)" />
          {marks.map((mark) => (
            <HopGlyph key={mark.key} mark={mark} y={y} />
          ))}
        </g>
      ))}
      {ticks.map(({ x, label: text }) => (
        <text key={text} x={x} y={heightPx - 20} textAnchor="middle">
          {text}
        </text>
      ))}
      <text x={plot.x + plot.width} y={heightPx - 4} textAnchor="end">
        time since push (log)
      </text>
    </Picture>
  );
}

function HopGlyph({ mark: { x, what, text }, y }: { readonly mark: HopMark; readonly y: number }) {
  const shape = shapes[what];
  const scale = glyphPx / 16;
  return (
    <g transform={`translate(${x - glyphPx / 2} ${y - glyphPx / 2}) scale(${scale})`}>
      <title>{text}</title>
      <path
        d={shape.path}
        fill={shape.filled ? `var(${shape.variable})` : 'var(--surface-raised)'}
        stroke={shape.filled ? 'none' : `var(${shape.variable})`}
        strokeWidth={2.25}
      />
    </g>
  );
}
