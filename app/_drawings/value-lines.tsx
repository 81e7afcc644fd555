interface ValueLinesProps {
  readonly plot: { readonly x: number; readonly width: number };
  readonly ticks: readonly { readonly y: number; readonly label: string }[];
}

export function ValueLines({ plot, ticks }: ValueLinesProps) {
  return ticks.map(({ y, label }) => (
    <g key={label}>
      <line x1={plot.x} x2={plot.x + plot.width} y1={y} y2={y} stroke="var(--border)" />
      <text x={plot.x - 6} y={y + 4} textAnchor="end">
        {label}
      </text>
    </g>
  ));
}
