import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

export interface Watched<T> {
  /** The longest block of the event loop. */
  readonly blockMs: number;
  readonly tookMs: number;
  /** The processor's time of all threads. */
  readonly cpuMs: number;
  readonly result: T;
}

/** The longest block of the event loop while something happens, and how long that took. */
export async function watchLoop<T>(work: () => Promise<T>): Promise<Watched<T>> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // After enable() and reset() the first turn of the loop is not recorded: a block in it would not be seen.
  await new Promise((resolve) => setTimeout(resolve, 20));
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const result = await work();
  const tookMs = performance.now() - startedAt;
  const cpu = process.cpuUsage(cpuBefore);
  await new Promise((resolve) => setTimeout(resolve, 20));
  delay.disable();
  return { blockMs: delay.max / 1e6, tookMs, cpuMs: (cpu.user + cpu.system) / 1_000, result };
}
