const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Lengths that people count in. */
const lengths = [
  ...[second, 5 * second, 10 * second, 30 * second, minute, 2 * minute, 5 * minute, 10 * minute],
  ...[15 * minute, 30 * minute, hour, 2 * hour, 6 * hour, 12 * hour, 24 * hour, 7 * 24 * hour],
];

const mostBuckets = 120;

/** The shortest one that makes few enough slices of a span. Milliseconds. */
export function chooseBucket(spanMs: number): number {
  const fits = lengths.find((length) => spanMs / length <= mostBuckets);
  return fits ?? Math.ceil(spanMs / mostBuckets);
}
