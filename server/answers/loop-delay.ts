import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Health } from '@/lib/api/schema';

const resolutionMs = 10;
const windowMs = 60_000;
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();
let startedAt = performance.now();

/** The delay of timers during the last one or two minutes, beyond the resolution of the timer. */
export function loopDelay(): Health['eventLoop'] {
  const late = (ns: number): number => Math.round(Math.max(0, ns / 1e6 - resolutionMs) * 10) / 10;
  const isEmpty = delay.count === 0;
  const measured = {
    p50Ms: isEmpty ? 0 : late(delay.percentile(50)),
    p99Ms: isEmpty ? 0 : late(delay.percentile(99)),
    maxMs: isEmpty ? 0 : late(delay.max),
  };
  if (performance.now() - startedAt > windowMs) resetLoopDelay();
  return measured;
}

/** Begins a new measurement, as when the server begins to listen. */
export function resetLoopDelay(): void {
  delay.reset();
  startedAt = performance.now();
}
