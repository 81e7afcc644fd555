import { existsSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

export interface Watched<T> {
  /** The longest block of the event loop. */
  readonly blockMs: number;
  /** Of the longest block: when this thread could have run, and had no core. null where no source reports. */
  readonly coreless: { readonly blockMs: number; readonly waitedMs: number } | null;
  /** The most of the processor that one turn took: what other programs do counts little. null as above. */
  readonly busyMs: number | null;
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
  const waits = endWaits();
  return { blockMs: delay.max / 1e6, ...waits, tookMs, cpuMs, result };
}

/** Of the main thread. Linux, Documentation/scheduler/sched-stats: nanoseconds on a core, and waiting for one. */
const statFile = `/proc/self/task/${process.pid}/schedstat`;

function readStat(): { readonly ranMs: number; readonly waitedMs: number } {
  const [ran = 0, waited = 0] = readFileSync(statFile, 'utf8').split(' ').map(Number);
  return { ranMs: ran / 1e6, waitedMs: waited / 1e6 };
}

function watchWaits(): () => Pick<Watched<unknown>, 'coreless' | 'busyMs'> {
  if (!existsSync(statFile)) return () => ({ coreless: null, busyMs: null });
  let longest = { blockMs: 0, waitedMs: 0 };
  let busyMs = 0;
  let turnAt = performance.now();
  let before = readStat();
  const timer = setInterval(() => {
    const at = performance.now();
    const now = readStat();
    const turn = { blockMs: at - turnAt, waitedMs: now.waitedMs - before.waitedMs };
    if (turn.blockMs > longest.blockMs) longest = turn;
    busyMs = Math.max(busyMs, now.ranMs - before.ranMs);
    turnAt = at;
    before = now;
  }, 1);
  return () => {
    clearInterval(timer);
    return { coreless: longest, busyMs };
  };
}
