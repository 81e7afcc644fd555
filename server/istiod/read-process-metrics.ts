import type { TargetMemory } from '../source-cost';

/** What a process states of itself in the metrics of Prometheus's client libraries. */
export interface ProcessMetrics {
  /** Identifies the process: another one, behind the same address, started at another time. */
  readonly startedAtSeconds: number;
  readonly cpuSeconds: number;
  readonly memory: TargetMemory;
}

/** Reads metrics as text. undefined: they are not of an istiod, or have no CPU time. */
export function readProcessMetrics(text: string): ProcessMetrics | undefined {
  const find = (name: string): number | null => {
    const [, digits] = new RegExp(String.raw`^${name}(?:\{[^}\n]*\})? (\S+)`, 'm').exec(text) ?? [];
    const value = Number(digits);
    return digits !== undefined && Number.isFinite(value) && value >= 0 ? value : null;
  };
  const startedAtSeconds = find('process_start_time_seconds');
  const cpuSeconds = find('process_cpu_seconds_total');
  if (startedAtSeconds === null || cpuSeconds === null || find('pilot_info') === null) return undefined;
  const memory = {
    allocated: find('go_memstats_alloc_bytes'),
    physical: find('process_resident_memory_bytes'),
  };
  return { startedAtSeconds, cpuSeconds, memory };
}
