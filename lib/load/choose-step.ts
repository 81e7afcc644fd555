const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Lengths that people count in, and that minutes and hours can be added up to. */
export const loadSteps: readonly number[] = [
  ...[second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second],
  ...[minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute],
  ...[hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour, 7 * 24 * hour],
];

const mostSteps = 300;
/** Clients report each few seconds: shorter steps are mostly empty. */
const usualLeastMs = 10 * second;
/** Who reports each 10 s reports once in one of these and twice in the next one. */
const uneven: readonly number[] = [15 * second];

/** The shortest one that makes few enough steps of a span. Milliseconds. */
export function chooseLoadStep(spanMs: number): number {
  const fits = loadSteps.find(
    (stepMs) => stepMs >= usualLeastMs && spanMs / stepMs <= mostSteps && !uneven.includes(stepMs),
  );
  return fits ?? Math.ceil(spanMs / mostSteps / (24 * hour)) * 24 * hour;
}
