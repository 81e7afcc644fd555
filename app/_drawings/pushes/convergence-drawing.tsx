import type { ConvergenceLayout } from '@/lib/views/pushes/layout-convergence';
import { Picture } from '../picture';
import { ValueLines } from '../value-lines';

interface ConvergenceDrawingProps {
  readonly layout: ConvergenceLayout;
  /** A sentence for screen readers. */
  readonly label: string;
}

export function ConvergenceDrawing({ layout, label }: ConvergenceDrawingProps) {
  const { plot, surePath, possiblePath, xTicks, yTicks, percentiles, end } = layout;
  const bottom = plot.y + plot.height;
  return (
    <Picture size={layout} label={label} fill="var(--text-muted)">
      <ValueLines plot={plot} ticks={yTicks} />
      {xTicks.map(({ x, label: text }) => (
        <g key={text}>
          <line x1={x} x2={x} y1={bottom} y2={bottom + 4} stroke="var(--border-strong)" />
          <text x={x} y={bottom + 16} textAnchor="middle">
            {text}
          </text>
        </g>
      ))}
      <text x={plot.x + plot.width} y={bottom + 30} textAnchor="end">
        time since push (log)
      </text>
      <text x={plot.x} y={12}>
        clients ACKed
      </text>
      {possiblePath !== '' && (
        <path
          d={possiblePath}
          fill="none"
          stroke="var(--status-acked)"
          strokeWidth={1.5}
          strokeDasharray="3 3"
        />
      )}
      <path d={surePath} fill="none" stroke="var(--status-acked)" strokeWidth={2} />
      {percentiles.map(({ label: text, x, y, uncertainPx }) => (
        <g key={`${x} ${y}`}>
          {uncertainPx > 1 && (
            <line x1={x - uncertainPx} x2={x} y1={y} y2={y} stroke="var(--text)" strokeWidth={1.5} />
          )}
          <line x1={x} x2={x} y1={y} y2={bottom} stroke="var(--text-muted)" strokeDasharray="2 3" />
          <circle cx={x} cy={y} r={3.5} fill="var(--surface-raised)" stroke="var(--text)" strokeWidth={1.5} />
          <text x={x - 6} y={y - 5} textAnchor="end" fill="var(--text)">
            {text}
          </text>
        </g>
      ))}
      {end !== null && (
        <text x={end.x} y={Math.max(12, end.y - 5)} textAnchor="end" fill="var(--text)" fontWeight={600}>
          {end.label}
        </text>
      )}
    </Picture>
  );
}
