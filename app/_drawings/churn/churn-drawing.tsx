import type { ChurnLayout } from '@/lib/views/churn/layout-churn';
import { Picture } from '../picture';

interface ChurnDrawingProps {
  readonly layout: ChurnLayout;
  readonly label: string;
  readonly formatTick: (at: number) => string;
}

export function ChurnDrawing({ layout, label, formatTick }: ChurnDrawingProps) {
  const { heightPx, plot, rows, ticks } = layout;
  return (
    <Picture size={layout} label={label} fill="var(--text-muted)">
      {rows.map(({ typeUrl, service, y, heightPx: high, bars, peak }) => (
        <g key={typeUrl}>
          <text x={0} y={y - 2} fill="var(--text)" fontWeight={600}>
            {service}
          </text>
          <text x={plot.x} y={y - high - 5}>
            {`highest ${peak}`}
          </text>
          <line x1={plot.x} x2={plot.x + plot.width} y1={y} y2={y} stroke="var(--border-strong)" />
          {bars.map(({ at, x, width, height, text }) => (
            <rect key={at} x={x} y={y - height} width={width} height={height} fill="var(--accent)">
              <title>{`${formatTick(at)}: ${text}`}</title>
            </rect>
          ))}
        </g>
      ))}
      {ticks.map(({ x, at }) => (
        <text key={at} x={x} y={heightPx - 6} textAnchor="middle">
          {formatTick(at)}
        </text>
      ))}
    </Picture>
  );
}
