import type { FlowBar, FlowLayout } from '@/lib/views/failover/layout-flow';
import { Picture } from '../picture';

interface FlowDrawingProps {
  readonly layout: FlowLayout;
  /** A sentence for screen readers. */
  readonly label: string;
}

const kindColour = {
  requests: 'var(--text-muted)',
  priority: 'var(--type-cluster)',
  locality: 'var(--type-route)',
  endpoint: 'var(--type-listener)',
  rest: 'var(--text-muted)',
  waiting: 'var(--status-timeout)',
  failing: 'var(--status-nacked)',
} as const;

/** The flow of requests to priorities, localities and endpoints; heights are shares. */
export function FlowDrawing({ layout, label }: FlowDrawingProps) {
  const { bars, ribbons } = layout;
  return (
    <Picture size={layout} label={label} fontSize={11.5}>
      {ribbons.map(({ key, kind, path, thickness }) => (
        <path
          key={key}
          d={path}
          fill="none"
          stroke={kindColour[kind]}
          strokeWidth={thickness}
          strokeOpacity={0.22}
          className="transition-[d,stroke-width] duration-(--motion) motion-reduce:transition-none"
        />
      ))}
      {bars.map((bar) => (
        <Bar key={bar.key} bar={bar} />
      ))}
    </Picture>
  );
}

function Bar({ bar }: { readonly bar: FlowBar }) {
  const { kind, x, y, width, height, textX, textY, label, detail, share, title, load, condition } = bar;
  const isIdle = load === 0;
  return (
    <g data-flow={bar.key} data-share={share}>
      <title>{title}</title>
      <rect
        x={x}
        y={y}
        width={width}
        height={height}
        rx={1.5}
        fill={isIdle ? 'var(--border-strong)' : kindColour[kind]}
        fillOpacity={isIdle ? 0.75 : 1}
      />
      {label !== '' && (
        <text x={textX} y={textY}>
          {condition !== undefined && condition !== 'healthy' && (
            <tspan fill="var(--status-unhealthy)" fontWeight={600}>
              {conditionSign[condition]}{' '}
            </tspan>
          )}
          <tspan
            fontFamily={kind === 'endpoint' ? 'var(--font-mono)' : undefined}
            fontWeight={kind === 'priority' ? 600 : undefined}
            textDecoration={condition === 'dead' || condition === 'unhealthy' ? 'line-through' : undefined}
          >
            {label}
          </tspan>{' '}
          <tspan fill={isIdle ? 'var(--text-muted)' : 'var(--text)'} fontWeight={isIdle ? 400 : 600}>
            {share}
          </tspan>
        </text>
      )}
      {detail !== '' && (
        <text x={textX} y={textY + 13} fontSize={10.5} fill="var(--text-muted)">
          {detail}
        </text>
      )}
    </g>
  );
}

/** Signs and a line through the name, so that colour is not the only sign. */
const conditionSign = {
  degraded: '◐',
  draining: '▽',
  unhealthy: '✕',
  slow: '…',
  dead: '✕',
} as const;
