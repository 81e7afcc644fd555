import { writeFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds by the clock: its begin and how long it took; `tdur`: of a processor. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: {
    readonly name?: string;
    readonly data?: { readonly functionName?: string; readonly url?: string };
  };
}

export interface OwnTask {
  /** After the trace began. */
  readonly atMs: number;
  readonly wallMs: number;
  /** On a busy machine the clock reports others. */
  readonly cpuMs: number;
  /** What took the most within it, each with all that it called. */
  readonly parts: string;
}

/** Everything that Chromium can tell goes to the file that `XDSCOPE_BENCH_TRACE` names, for its own viewer; it costs time. */
const traceFile = process.env.XDSCOPE_BENCH_TRACE;
const sampled = ['v8.execute', 'disabled-by-default-v8.cpu_profiler', 'blink.user_timing', 'loading'];
const partsReported = 6;

export function startTrace(browser: Browser, page: Page): Promise<void> {
  const categories = ['toplevel', 'devtools.timeline', ...(traceFile === undefined ? [] : sampled)];
  return browser.startTracing(page, { categories });
}

/** The longest tasks of a page's main thread, by the processor's time, longest first. */
export async function longestTasks(browser: Browser, count: number): Promise<OwnTask[]> {
  const trace = await browser.stopTracing();
  if (traceFile !== undefined) writeFileSync(traceFile, trace);
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: readonly TraceEvent[] };
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const timed = traceEvents.filter(({ ts, dur }) => ts > 0 && dur !== undefined);
  const beganAt = timed.reduce((first, { ts }) => Math.min(first, ts), Number.POSITIVE_INFINITY);
  const own = timed.filter(({ pid, tid }) => threads.has(`${pid} ${tid}`));
  return own
    .filter(({ name }) => name.endsWith('::RunTask'))
    .sort((a, b) => (b.tdur ?? 0) - (a.tdur ?? 0))
    .slice(0, count)
    .map((task) => ({
      atMs: (task.ts - beganAt) / 1_000,
      wallMs: (task.dur ?? 0) / 1_000,
      cpuMs: (task.tdur ?? 0) / 1_000,
      parts: own
        .filter((event) => event !== task && isWithin(event, task))
        .sort((a, b) => (b.tdur ?? b.dur ?? 0) - (a.tdur ?? a.dur ?? 0))
        .slice(0, partsReported)
        .map(({ name, tdur, dur = 0, args }) => {
          const { functionName = '', url = '' } = args?.data ?? {};
          const where = [functionName, url.split('/').at(-1)].filter(Boolean).join(' ');
          return `${name}${where === '' ? '' : ` (${where})`} ${((tdur ?? dur) / 1_000).toFixed(0)}`;
        })
        .join(', '),
    }));
}

function isWithin(event: TraceEvent, task: TraceEvent): boolean {
  return (
    event.pid === task.pid &&
    event.tid === task.tid &&
    event.ts >= task.ts &&
    event.ts + (event.dur ?? 0) <= task.ts + (task.dur ?? 0)
  );
}
