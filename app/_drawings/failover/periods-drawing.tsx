import type { PeriodsLayout } from '@/lib/view-model/failover/layout-periods';
import { Picture } from '../picture';

interface PeriodsDrawingProps {
  readonly layout: PeriodsLayout;
  readonly label: string;
}

/** By index of the priority. */
const colours = ['var(--type-cluster)', 'var(--status-timeout)', 'var(--type-route)', 'var(--type-endpoint)'];

export function PeriodsDrawing({ layout, label }: PeriodsDrawingProps) {
  const { heightPx, lanes, blocks, turns } = layout;
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
          <rect
            x={x}
            y={y}
            width={width}
            height={height}
            fill={priority < 0 ? 'var(--status-nacked)' : colours[priority % colours.length]}
            fillOpacity={0.55}
          />
          {words !== '' && (
            <text x={x + 5} y={y + height / 2 + 4}>
              {words}
            </text>
          )}
        </g>
      ))}
      {turns.map(({ key, x }) => (
        <line key={key} x1={x} x2={x} y1={0} y2={heightPx} stroke="var(--text)" strokeOpacity={0.5} />
      ))}
    </Picture>
  );
}
