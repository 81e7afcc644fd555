import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { LoadReported } from '@/lib/observation/observation';
import type { LoadReadQuestion } from '@/server/recorder/load/load-jobs';
import { LoadRecorder } from '@/server/recorder/load/load-recorder';
import { ManualClock } from '../support/recorder-manual-clock';
import { median } from './measure';

interface Asked {
  readonly name: string;
  /** Of the processor. */
  readonly aimMs: number;
  readonly question: (now: number) => LoadReadQuestion;
}

const minuteMs = 60_000;
const recordedMs = 17 * minuteMs;
const intervalMs = 10_000;
const turns = 5;

const totals = { stepMs: null, measures: [] } as const;
const lastMinutes = (now: number, minutes = 15) => ({ from: now + 1 - minutes * minuteMs, to: now + 1 });
const wholeSteps = (now: number) => {
  const to = Math.floor(now / 10_000) * 10_000;
  return { from: to - 15 * minuteMs, to };
};
const chart = {
  stepMs: 10_000,
  measures: ['requests', 'error-ratio', 'in-flight', 'drops'] as const,
  limit: 20,
} satisfies Partial<LoadReadQuestion>;

const questions: readonly Asked[] = [
  {
    name: 'chart, 15 min, one cluster by locality',
    aimMs: 200,
    question: (now) => ({ ...chart, by: 'locality', cluster: 'cluster-0', span: wholeSteps(now) }),
  },
  {
    name: '... its newest steps',
    aimMs: 200,
    question: (now) => ({
      ...{ ...chart, by: 'locality', cluster: 'cluster-0', span: wholeSteps(now) },
      valuesFrom: wholeSteps(now).to - 20_000,
    }),
  },
  {
    name: 'chart, 15 min, by cluster',
    aimMs: 200,
    question: (now) => ({ ...chart, by: 'cluster', span: wholeSteps(now) }),
  },
  {
    name: 'table, 15 min, by cluster',
    aimMs: 100,
    question: (now) => ({ ...totals, by: 'cluster', span: lastMinutes(now), limit: 20 }),
  },
  {
    name: 'table, 15 min, one cluster by locality',
    aimMs: 100,
    question: (now) => ({
      ...{ ...totals, by: 'locality', cluster: 'cluster-0', span: lastMinutes(now), limit: 20 },
    }),
  },
  {
    name: 'table, 15 min, one cluster by client, 1,000 lines',
    aimMs: 100,
    question: (now) => ({
      ...{ ...totals, by: 'client', cluster: 'cluster-0', span: lastMinutes(now), limit: 1_000 },
    }),
  },
  {
    name: 'table, 15 min, by client, 1,000 lines',
    aimMs: 100,
    question: (now) => ({ ...totals, by: 'client', span: lastMinutes(now), limit: 1_000 }),
  },
  {
    name: 'table, 15 min, of one client by cluster',
    aimMs: 100,
    question: (now) => ({ ...totals, by: 'cluster', clientId: 'c7', span: lastMinutes(now), limit: 20 }),
  },
];

/** Milliseconds of the processor, all threads, since `from`. */
function cpuMs(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
}

/** Minutes of a fleet's reports, recorded in this process with nothing else in it; then what pages ask of them. */
export async function loadOfFleet(
  clients: number,
  clusters: LoadReported['clusters'],
  say: (what: string, value: string) => void,
): Promise<void> {
  process.stdout.write(
    `${clients} clients x ${clusters.length} clusters, ${recordedMs / minuteMs} min recorded, each ${intervalMs / 1_000} s\n`,
  );
  const folder = mkdtempSync(path.join(tmpdir(), 'xdscope-bench-'));
  const clock = new ManualClock();
  const recorder = await LoadRecorder.open({ dataDir: folder, clock });
  const node = {
    ...{ id: '', cluster: '', locality: null, userAgentName: '', userAgentVersion: '' },
    ...{ clientFeatures: [], metadata: {} },
  };
  const names = Array.from({ length: clients }, (_, index) => `c${index}`);
  const began = process.cpuUsage();
  const perTick = Math.ceil(clients / (intervalMs / 100));
  let reports = 0;
  for (let ms = 0; ms < recordedMs; ms += 100) {
    const first = ((ms / 100) * perTick) % (perTick * (intervalMs / 100));
    for (const client of names.slice(first, first + perTick)) {
      recorder.observe({
        ...{ kind: 'load-reported', vantage: 'lrs', at: clock.now(), sourceId: 'lrs', scope: '' },
        ...{ clientId: client, streamId: client, clusters, node },
      });
      reports += 1;
    }
    clock.advance(100);
    if (ms % 1_000 === 0) await recorder.flushed();
    if (ms % 10_000 === 0) await recorder.tidy();
  }
  await recorder.flushed();
  say(
    'recorded: processor, all threads',
    `${((cpuMs(began) * 1_000) / reports).toFixed(0)} us a report of ${clusters.length} clusters`,
  );
  for (const { name, aimMs, question } of questions) {
    const times: number[] = [];
    let lines = 0;
    for (let turn = 0; turn < turns; turn++) {
      const from = process.cpuUsage();
      lines = (await recorder.read(question(clock.now()))).groups.length;
      times.push(cpuMs(from));
    }
    const [first = 0] = times;
    say(
      `${name} (aim ${aimMs} ms)`,
      `${median(times).toFixed(0)} ms of the processor, first ${first.toFixed(0)}; ${(median(times) / aimMs).toFixed(2)} of the aim; ${lines} lines`,
    );
  }
  await recorder.close();
  rmSync(folder, { recursive: true, force: true });
}
