import { Agent } from 'node:http';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../../observe';
import type { TargetCpu, TargetMemory } from '../../source-cost';
import type { SourceStatus } from '../../source-status';
import type { RunningCall } from '../../transport/http-client/http-call';
import { startHttpCall } from '../../transport/http-client/http-call';
import type { Target } from '../../transport/targets/target';

interface ProcessReaderOptions {
  /** The target of ADS. */
  readonly target: Target;
  /** The port of metrics on the same host. Absent: the usual one of istiod, if the port of ADS is one of its usual ones. */
  readonly port?: number | undefined;
  readonly intervalMs: number;
  readonly clock: Clock;
}

/** The port of metrics of an istiod that serves ADS on one of these. */
const usualPort = 15_014;
const adsPorts: ReadonlySet<number> = new Set([15_010, 15_012]);
const timeoutMs = 5_000;
/** The metrics of an istiod are some 100 kB, and grow with the number of types and clusters. */
const maxBytes = 8 * 1024 * 1024;
/** The number of intervals to wait after metrics that could not be read. */
const failedIntervals = 10;

/** Reads CPU time and memory of an istiod from its metrics, beside its polls. What cannot be read is not reported. */
export class ProcessReader {
  readonly #options: ProcessReaderOptions;

  readonly #agent = new Agent({ keepAlive: false, maxSockets: 1 });
  readonly #target: Target | undefined;
  #dueAt = Number.NEGATIVE_INFINITY;
  #call: RunningCall | undefined;
  #newest: (ProcessMetrics & { readonly at: EpochMs }) | undefined;
  #cpu: TargetCpu | null = null;

  constructor(options: ProcessReaderOptions) {
    this.#options = options;

    const { target, port = adsPorts.has(target.port) ? usualPort : undefined } = options;
    const host = target.host.includes(':') ? `[${target.host}]` : target.host;
    this.#target = port === undefined ? undefined : { ...target, port, text: `${host}:${port}` };
  }

  /** Facts that are undefined are not reported. */
  get facts(): Pick<SourceStatus, 'targetMemory' | 'targetCpu'> {
    const isRead = this.#newest !== undefined;
    return { targetMemory: this.#newest?.memory, targetCpu: isRead ? this.#cpu : undefined };
  }

  get isDue(): boolean {
    const now = this.#options.clock.now();
    return this.#target !== undefined && this.#call === undefined && now >= this.#dueAt;
  }

  /** Returns the size of the answer. Never rejects. */
  async read(): Promise<number> {
    const { clock, intervalMs } = this.#options;
    const target = this.#target;
    if (target === undefined) return 0;
    this.#call = startHttpCall({
      ...{ method: 'GET', target, path: '/metrics', isTls: false, agent: this.#agent },
      headers: { host: target.text, accept: 'text/plain' },
      ...{ connectTimeoutMs: timeoutMs, timeoutMs, maxBytes, clock },
    });
    const outcome = await this.#call.outcome;
    this.#call = undefined;
    const isRead = outcome.kind === 'answer' && outcome.status === 200;
    const metrics = isRead ? readProcessMetrics(outcome.body.toString('utf8')) : undefined;
    const at = clock.now();
    this.#dueAt = at + intervalMs * (metrics === undefined ? failedIntervals : 1);
    this.#take(metrics && { ...metrics, at });
    return isRead ? outcome.body.length : 0;
  }

  close(): void {
    this.#call?.abort();
    this.#agent.destroy();
  }

  #take(metrics: (ProcessMetrics & { readonly at: EpochMs }) | undefined): void {
    const before = this.#newest;
    const isSame = before !== undefined && before.startedAtSeconds === metrics?.startedAtSeconds;
    const overMs = isSame ? metrics.at - before.at : 0;
    this.#cpu =
      isSame && overMs > 0
        ? { share: ((metrics.cpuSeconds - before.cpuSeconds) * 1_000) / overMs, overMs }
        : null;
    this.#newest = metrics;
  }
}

/** The facts that a process states of itself in the metrics of Prometheus's client libraries. */
interface ProcessMetrics {
  /** Identifies the process: another one, behind the same address, started at another time. */
  readonly startedAtSeconds: number;
  readonly cpuSeconds: number;
  readonly memory: TargetMemory;
}

/** Reads metrics as text. undefined: they are not of an istiod, or have no CPU time. */
function readProcessMetrics(text: string): ProcessMetrics | undefined {
  const find = (name: string): number | undefined => {
    const [, digits] = new RegExp(String.raw`^${name}(?:\{[^}\n]*\})? (\S+)`, 'm').exec(text) ?? [];
    const value = Number(digits);
    return digits !== undefined && Number.isFinite(value) && value >= 0 ? value : undefined;
  };
  const startedAtSeconds = find('process_start_time_seconds');
  const cpuSeconds = find('process_cpu_seconds_total');
  if (startedAtSeconds === undefined || cpuSeconds === undefined || find('pilot_info') === undefined)
    return undefined;
  const memory = {
    allocated: find('go_memstats_alloc_bytes'),
    physical: find('process_resident_memory_bytes'),
  };
  return { startedAtSeconds, cpuSeconds, memory };
}
