import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

export interface Watched {
  /** The longest block of the event loop. */
  readonly blockMs: number;
  readonly tookMs: number;
}

/** The longest block of the event loop while something happens, and how long that took. */
export async function watchLoop(work: () => Promise<unknown>): Promise<Watched> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // After enable() and reset() the first turn of the loop is not recorded: a block in it would not be seen.
  await new Promise((resolve) => setTimeout(resolve, 20));
  const startedAt = performance.now();
  await work();
  const tookMs = performance.now() - startedAt;
  await new Promise((resolve) => setTimeout(resolve, 20));
  delay.disable();
  return { blockMs: delay.max / 1e6, tookMs };
}
