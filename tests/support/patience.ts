import os from 'node:os';

/** Below Vitest's limit for a test, so that a failure names the state that was awaited. */
const longestMs = 240_000;

/**
 * Returns how long to wait for a state that a machine with time to spare reaches within `usualMs`: the longer, the
 * more processes share a processor.
 */
export function patienceMs(usualMs: number): number {
  const [load = 0] = os.loadavg();
  return Math.min(longestMs, usualMs * Math.max(1, load / os.availableParallelism()));
}
