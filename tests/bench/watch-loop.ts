import { existsSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

export interface Watched<T> {
  /** The longest block of the event loop. */
  readonly blockMs: number;
  /** Of the longest block: when this thread could have run, and had no core. null where nobody tells. */
  readonly coreless: { readonly blockMs: number; readonly waitedMs: number } | null;
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
  const endWaits = watchWaits();
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const result = await work();
  const tookMs = performance.now() - startedAt;
  const cpu = process.cpuUsage(cpuBefore);
  await new Promise((resolve) => setTimeout(resolve, 20));
  delay.disable();
  const cpuMs = (cpu.user + cpu.system) / 1_000;
  return { blockMs: delay.max / 1e6, coreless: endWaits(), tookMs, cpuMs, result };
}

/** Of the main thread. Linux, Documentation/scheduler/sched-stats: nanoseconds on a core, and waiting for one. */
const statFile = `/proc/self/task/${process.pid}/schedstat`;
const waitedSoFarMs = (): number => Number(readFileSync(statFile, 'utf8').split(' ')[1]) / 1e6;

function watchWaits(): () => Watched<unknown>['coreless'] {
  if (!existsSync(statFile)) return () => null;
  let longest = { blockMs: 0, waitedMs: 0 };
  let turnAt = performance.now();
  let waited = waitedSoFarMs();
  const timer = setInterval(() => {
    const at = performance.now();
    const now = waitedSoFarMs();
    if (at - turnAt > longest.blockMs) longest = { blockMs: at - turnAt, waitedMs: now - waited };
    turnAt = at;
    waited = now;
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}
