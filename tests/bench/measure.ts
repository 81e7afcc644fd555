import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

export interface Measured<T> {
  readonly result: T;
  readonly wallMs: number;
  /** The processor's time of all threads, which says more than the clock on a busy machine. */
  readonly cpuMs: number;
  /** How long the event loop of this thread was busy. */
  readonly busyMs: number;
  /** The longest block of the event loop. */
  readonly blockMs: number;
}

export async function measure<T>(work: () => T | Promise<T>): Promise<Measured<T>> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // After enable() the first turn of the loop is not recorded: a block in it would not be seen.
  await pause(20);
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const busyBefore = performance.eventLoopUtilization();
  const result = await work();
  const wallMs = performance.now() - startedAt;
  const busyMs = performance.eventLoopUtilization(busyBefore).active;
  const { user, system } = process.cpuUsage(cpuBefore);
  await pause(20);
  delay.disable();
  return { result, wallMs, cpuMs: (user + system) / 1_000, busyMs, blockMs: delay.max / 1e6 };
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export const verdict = (figure: number, aim: number, unit: string): string =>
  `${figure.toFixed(0)} ${unit} (${figure < aim ? 'aim met' : 'AIM NOT MET'}: under ${aim} ${unit})`;

/** `share`: 0.5 for the median, 1 for the largest. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);
