import type { PeriodsLayout } from '@/lib/views/failover/layout-periods';
import { Picture } from '../picture';

interface PeriodsDrawingProps {
  readonly layout: PeriodsLayout;
  readonly label: string;
  /** Epoch milliseconds. */
  readonly formatTime: (at: number) => string;
}

/** The index is that of the priority. */
const colours = ['var(--type-cluster)', 'var(--status-timeout)', 'var(--type-route)', 'var(--type-endpoint)'];

export function PeriodsDrawing({ layout, label, formatTime }: PeriodsDrawingProps) {
  const { widthPx, lanes, blocks, turns, axis, legend, legendY } = layout;
  return (
    <Picture size={layout} label={label}>
      {lanes.map(({ label: name, y, heightPx: height }) => (
        <text key={name} x={0} y={y + height / 2 + 4} fill="var(--text-muted)">
          {name}
        </text>
      ))}
      {blocks.map(({ key, x, y, width, height, priority, label: words, title }) => (
        <g key={key}>
          <title>{title}</title>
          <rect x={x} y={y} width={width} height={height} fill={colourOf(priority)} fillOpacity={0.55} />
          {words !== '' && (
            <text x={x + 5} y={y + height / 2 + 4}>
              {words}
            </text>
          )}
        </g>
      ))}
      {turns.map(({ key, x }) => (
        <line key={key} x1={x} x2={x} y1={0} y2={axis.y} stroke="var(--text)" strokeOpacity={0.5} />
      ))}
      <text x={52} y={axis.y + 14} fill="var(--text-muted)">
        {formatTime(axis.from)}
      </text>
      {axis.ticks.map(({ x, at }) => (
        <g key={at}>
          <line x1={x} x2={x} y1={axis.y} y2={axis.y + 4} stroke="var(--border-strong)" />
          <text x={x} y={axis.y + 14} textAnchor="middle" fill="var(--text-muted)">
            {formatTime(at)}
          </text>
        </g>
      ))}
      <text x={widthPx - 4} y={axis.y + 14} textAnchor="end" fill="var(--text-muted)">
        {formatTime(axis.to)}
      </text>
      {legend.map(({ priority, name, x }) => (
        <g key={priority}>
          <rect x={x} y={legendY + 4} width={12} height={12} fill={colourOf(priority)} fillOpacity={0.55} />
          <text x={x + 18} y={legendY + 14}>
            {name}
          </text>
        </g>
      ))}
    </Picture>
  );
}

function colourOf(priority: number): string | undefined {
  return priority < 0 ? 'var(--status-nacked)' : colours[priority % colours.length];
}
