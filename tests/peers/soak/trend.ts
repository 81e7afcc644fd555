/** A quantity that is measured again and again; levelling off means that it no longer grows. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly digits: number;
  /** The most by which it may grow over the second half of the run: the larger of a share of its mean and an amount. */
  readonly share: number;
  readonly amount: number;
}

export interface Verdict {
  readonly isLevel: boolean;
  readonly text: string;
}

/** Judges the second half of the samples by their linear trend. */
export function judge(figure: Figure, samples: readonly { readonly atMs: number; readonly value: number }[]) {
  const half = samples.slice(Math.floor(samples.length / 2));
  const mean = average(half.map(({ value }) => value));
  const slope = slopeOf(half.map(({ atMs, value }) => [atMs, value]));
  const growth = slope * ((half.at(-1)?.atMs ?? 0) - (half[0]?.atMs ?? 0));
  const limit = Math.max(figure.share * mean, figure.amount);
  const format = (value: number): string => `${value.toFixed(figure.digits)}${figure.unit}`;
  const sign = growth < 0 ? '' : '+';
  const limits = `limit +${format(limit)}: the larger of ${figure.share * 100}% of the mean and ${format(figure.amount)}`;
  const text = `${figure.name}: mean ${format(mean)}, linear trend ${sign}${format(growth)} over the second half (${limits})`;
  return { isLevel: half.length > 1 && growth <= limit, text };
}

/** The slope of the line with the least squares of distances. */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const meanX = average(points.map(([x]) => x));
  const meanY = average(points.map(([, y]) => y));
  const covariance = average(points.map(([x, y]) => (x - meanX) * (y - meanY)));
  const variance = average(points.map(([x]) => (x - meanX) ** 2));
  return variance === 0 ? 0 : covariance / variance;
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}
