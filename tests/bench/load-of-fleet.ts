import type { LoadReported } from '@/lib/observation/observation';
import type { LoadReadQuestion } from '@/server/live/load/load-jobs';
import { LoadRecorder } from '@/server/live/load/load-recorder';
import { loadReported } from '../support/builders/load-samples';
import { ManualClock } from '../support/recorder-manual-clock';
import { median, print, printFigure, tempDir } from './measure';

const minuteMs = 60_000;
const recordedMs = 17 * minuteMs;
const intervalMs = 10_000;
const turns = 5;

type Search = Omit<LoadReadQuestion, 'span'>;
const tableOf = (search: Pick<Search, 'by'> & Partial<Search>): Search => ({
  ...{ stepMs: null, measures: [], limit: 20 },
  ...search,
});
const chartOf = (search: Pick<Search, 'by'> & Partial<Search>): Search => ({
  ...{ stepMs: 10_000, measures: ['requests', 'error-ratio', 'in-flight', 'drops'], limit: 20 },
  ...search,
});
const oneCluster = { cluster: 'cluster-0' } as const;

/** Questions about the last 15 minutes; `aimMs` is processor time. */
const questions: readonly (readonly [name: string, aimMs: number, search: Search])[] = [
  ['chart, 15 min, one cluster by locality', 200, chartOf({ by: 'locality', ...oneCluster })],
  ['chart, 15 min, by cluster', 200, chartOf({ by: 'cluster' })],
  ['table, 15 min, by cluster', 100, tableOf({ by: 'cluster' })],
  ['table, 15 min, one cluster by locality', 100, tableOf({ by: 'locality', ...oneCluster })],
  [
    'table, 15 min, one cluster by client, 1,000 lines',
    100,
    tableOf({ by: 'client', ...oneCluster, limit: 1_000 }),
  ],
  ['table, 15 min, by client, 1,000 lines', 100, tableOf({ by: 'client', limit: 1_000 })],
  ['table, 15 min, of one client by cluster', 100, tableOf({ by: 'cluster', clientId: 'c7' })],
];

/** A chart spans whole steps. */
function questionAt(now: number, search: Search): LoadReadQuestion {
  const to = search.stepMs === null ? now + 1 : Math.floor(now / search.stepMs) * search.stepMs;
  const span = { from: to - 15 * minuteMs, to };
  return { ...search, span };
}

/** Milliseconds of the processor, all threads, since `from`. */
function cpuMs(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
}

/** Records minutes of a fleet's load reports in this process, and measures the questions of pages about them. */
export async function loadOfFleet(clients: number, clusters: LoadReported['clusters']): Promise<void> {
  print(
    `${clients} clients x ${clusters.length} clusters, ${recordedMs / minuteMs} min recorded, each ${intervalMs / 1_000} s`,
  );
  const clock = new ManualClock();
  const recorder = await LoadRecorder.open({ dataDir: tempDir(), clock });
  const names = Array.from({ length: clients }, (_, index) => `c${index}`);
  const began = process.cpuUsage();
  const perTick = Math.ceil(clients / (intervalMs / 100));
  let reports = 0;
  for (let ms = 0; ms < recordedMs; ms += 100) {
    const first = ((ms / 100) * perTick) % (perTick * (intervalMs / 100));
    for (const client of names.slice(first, first + perTick)) {
      recorder.observe(loadReported(clock.now(), clusters, { clientId: client, streamId: client }));
      reports += 1;
    }
    clock.advance(100);
    if (ms % 1_000 === 0) await recorder.flushed();
    if (ms % 10_000 === 0) await recorder.tidy();
  }
  await recorder.flushed();
  printFigure(
    'recorded: processor, all threads',
    `${((cpuMs(began) * 1_000) / reports).toFixed(0)} us a report of ${clusters.length} clusters`,
  );
  for (const [name, aimMs, search] of questions) {
    const times: number[] = [];
    let lines = 0;
    for (let turn = 0; turn < turns; turn++) {
      const from = process.cpuUsage();
      lines = (await recorder.read(questionAt(clock.now(), search))).groups.length;
      times.push(cpuMs(from));
    }
    const [first = 0] = times;
    printFigure(
      `${name} (aim ${aimMs} ms)`,
      `${median(times).toFixed(0)} ms of the processor, first ${first.toFixed(0)}; ${(median(times) / aimMs).toFixed(2)} of the aim; ${lines} lines`,
    );
  }
  await recorder.close();
}
