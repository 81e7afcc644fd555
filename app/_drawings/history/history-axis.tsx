import { type AxisLayout, formatAxisTime } from '@/lib/views/history/layout-axis';

interface HistoryAxisProps {
  readonly layout: AxisLayout;
  readonly widthPx: number;
  readonly timeZone: string;
  readonly heightPx?: number;
}

const edgePx = 34;

/** The time axis; breaks show how long there were no events. */
export function HistoryAxis({ layout, widthPx, timeZone, heightPx = 22 }: HistoryAxisProps) {
  const { ticks, breaks, stepMs } = layout;
  return (
    <svg width={widthPx} height={heightPx} aria-hidden="true" className="block overflow-hidden">
      <path d={`M0 0.5H${widthPx}`} className="stroke-line-strong" />
      {breaks.map(({ x, width, label, from }) => (
        <g key={from} transform={`translate(${x} 0)`}>
          <rect width={width} height={heightPx} className="fill-raised" />
          <path d={`M0 0.5H${width}`} strokeDasharray="2 3" className="stroke-muted" />
          <text x={width / 2} y={15} textAnchor="middle" className="fill-muted text-[10px] italic">
            {label}
          </text>
          <title>{`no events for ${label}`}</title>
        </g>
      ))}
      {ticks
        .filter(({ x }) => !breaks.some((gap) => x + edgePx > gap.x && x - edgePx < gap.x + gap.width))
        .map(({ x, at }) => (
          <g key={at} transform={`translate(${x} 0)`}>
            <path d="M0.5 0V4" className="stroke-line-strong" />
            <text
              y={15}
              textAnchor={x > widthPx - edgePx ? 'end' : x < edgePx ? 'start' : 'middle'}
              className="fill-muted text-[10.5px] tabular-nums"
            >
              {formatAxisTime(at, stepMs, timeZone)}
            </text>
          </g>
        ))}
    </svg>
  );
}
