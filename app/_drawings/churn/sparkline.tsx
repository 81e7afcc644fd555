interface SparklineProps {
  readonly bars: readonly { readonly at: number; readonly value: number }[];
  /** The time range in epoch milliseconds, and the length of a bar. */
  readonly from: number;
  readonly until: number;
  readonly bucketMs: number;
  readonly label: string;
}

const size = { width: 120, height: 18 };

/** Bars over a time range, in a cell. The highest one fills the height. */
export function Sparkline({ bars, from, until, bucketMs, label }: SparklineProps) {
  const highest = Math.max(1, ...bars.map(({ value }) => value));
  const perMs = size.width / Math.max(1, until - from);
  const width = Math.max(1.5, bucketMs * perMs - 0.5);
  return (
    <svg role="img" aria-label={label} {...size} viewBox={`0 0 ${size.width} ${size.height}`}>
      <line x1={0} x2={size.width} y1={size.height} y2={size.height} stroke="var(--border-strong)" />
      {bars.map(({ at, value }) => {
        const height = (value / highest) * (size.height - 2);
        const x = Math.max(0, (at - from) * perMs);
        return (
          <rect key={at} x={x} y={size.height - height} width={width} height={height} fill="var(--accent)">
            <title>{value}</title>
          </rect>
        );
      })}
    </svg>
  );
}
