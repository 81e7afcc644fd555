import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

export interface Measured<T> {
  readonly result: T;
  readonly wallMs: number;
  /** Processor time of all threads: on a busy machine, the wall time includes that of other programs. */
  readonly cpuMs: number;
  /** The time for which the event loop of this thread was busy. */
  readonly busyMs: number;
  /** The longest block of the event loop. */
  readonly blockMs: number;
}

export async function measure<T>(work: () => T | Promise<T>): Promise<Measured<T>> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // The first turn of the event loop after enable() is not recorded.
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

/** A new empty directory, which is removed when this process exits. */
export function tempDir(): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'xdscope-bench-'));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A line of a table: a name, and its figure. */
export function printFigure(name: string, figure: string): void {
  print(`  ${name.padEnd(60)} ${figure}`);
}

export const verdict = (figure: number, aim: number, unit: string): string =>
  `${figure.toFixed(0)} ${unit} (${figure < aim ? 'aim met' : 'AIM NOT MET'}: under ${aim} ${unit})`;

/** `share`: 0.5 for the median, 1 for the largest. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);
