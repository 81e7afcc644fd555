import { roundDurationsMs } from '../format/duration';

const second = 1_000;
const hour = 3_600 * second;
const mostSteps = 300;
/** Clients report every few seconds, so that shorter steps are mostly empty. */
const usualLeastMs = 10 * second;
/** A client that reports every 10 s reports alternately once and twice in steps of this length. */
const uneven: readonly number[] = [15 * second];

/** Chooses the shortest step that splits a time range into at most 300 steps. Milliseconds. */
export function chooseLoadStep(spanMs: number): number {
  const fits = roundDurationsMs.find(
    (stepMs) => stepMs >= usualLeastMs && spanMs / stepMs <= mostSteps && !uneven.includes(stepMs),
  );
  return fits ?? Math.ceil(spanMs / mostSteps / (24 * hour)) * 24 * hour;
}
