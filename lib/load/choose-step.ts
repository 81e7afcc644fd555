const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Round lengths, which whole minutes and hours add up to. Milliseconds. */
export const loadSteps: readonly number[] = [
  ...[second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second],
  ...[minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute],
  ...[hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour, 7 * 24 * hour],
];

const mostSteps = 300;
/** Clients report every few seconds, so that shorter steps are mostly empty. */
const usualLeastMs = 10 * second;
/** A client that reports every 10 s reports alternately once and twice in steps of this length. */
const uneven: readonly number[] = [15 * second];

/** Chooses the shortest step that splits a time range into at most 300 steps. Milliseconds. */
export function chooseLoadStep(spanMs: number): number {
  const fits = loadSteps.find(
    (stepMs) => stepMs >= usualLeastMs && spanMs / stepMs <= mostSteps && !uneven.includes(stepMs),
  );
  return fits ?? Math.ceil(spanMs / mostSteps / (24 * hour)) * 24 * hour;
}
