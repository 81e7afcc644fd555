import { type ChildProcess, fork } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import type { FleetPage } from '@/lib/views/fleet/schema';
import type { Health } from '@/lib/views/health/schema';
import { systemClock } from '@/server/observe';
import { ObservationLog } from '@/server/store/log';
import { openPostgres } from '@/server/store/open-postgres';
import { fetchApi, getJson, type RunningServer, startServer } from '../support/e2e-server';
import { startPostgres } from '../support/postgres';
import { waitUntil } from '../support/wait-until';
import { childTask } from './in-own-process';
import { pause, percentile, print, printFigure, tempDir } from './measure';
import { cpuSeconds, cpuSecondsOfChildren, memoryMb } from './process-figures';
import {
  type CollectorOptions,
  type CollectorReport,
  type CollectorTask,
  runCollector,
} from './team-collector';

/**
 * A team's deployment on one machine: a PostgreSQL, three collectors, two web processes. The collectors poll nothing, because 100,000
 * simulated clients would cost more than the machine has: they record, and forward, what CSDS would report.
 */
const clients = Number(process.env.XDSCOPE_BENCH_CLIENTS ?? 100_000);
const perSecond = Number(process.env.XDSCOPE_BENCH_RATE ?? 5_000);
const seconds = Number(process.env.XDSCOPE_BENCH_SECONDS ?? 60);
const collectorCount = 3;
const webCount = 2;
const aims = { pageMs: 100, postgresCores: 0.3, changeMs: 1_000 };
const askEveryMs = 1_000;
const longestMs = 60_000;
const changeEveryMs = 2_000;
const readyMs = 20 * 60_000;
const pages = {
  'the list of clients': 'fleet?sort=status&limit=100',
  'the list, filtered: status=NACKED': 'fleet?sort=status&limit=100&q=status%3DNACKED',
  'the Overview: health': 'health',
  NACKs: 'nacks',
  issues: 'issues',
  search: 'search?q=shop-7',
} as const;

interface Collector {
  readonly process: ChildProcess;
  readonly report: () => CollectorReport | undefined;
  readonly send: (task: CollectorTask) => void;
}

function startCollector(options: CollectorOptions): Collector {
  const child = fork(process.argv[1] ?? '', ['--child=collect', JSON.stringify(options)], {
    execArgv: process.execArgv,
  });
  let newest: CollectorReport | undefined;
  child.on('message', (report: CollectorReport) => {
    newest = report;
  });
  child.once('exit', (code) => {
    if (code !== null && code !== 0) throw new Error(`bench: a collector ended with ${code}`);
  });
  return { process: child, report: () => newest, send: (task) => void child.send(task) };
}

const api = <T>(server: RunningServer, what: string) => getJson<T>(`${server.url}/api/v1/${what}`);
const pidOf = (server: { readonly process: ChildProcess }): number => server.process.pid ?? 0;

/** Asks one question again and again, until it is stopped. */
class Asking {
  readonly ms: number[] = [];
  readonly #failed = new Map<string, number>();
  #isOver = false;
  readonly #done: Promise<void>;

  constructor(url: string) {
    this.#done = this.#run(url);
  }

  async stop(): Promise<string> {
    this.#isOver = true;
    await this.#done;
    const [p50, p95] = [0.5, 0.95].map((share) => `${percentile(this.ms, share).toFixed(0)} ms`);
    const failed = Array.from(this.#failed, ([why, times]) => `; ${times} times ${why}`).join('');
    return `p50 ${p50}, p95 ${p95} of ${this.ms.length}${failed}`;
  }

  async #run(url: string): Promise<void> {
    while (!this.#isOver) {
      const startedAt = performance.now();
      const outcome = await this.#ask(url);
      if (outcome === '200') this.ms.push(performance.now() - startedAt);
      else this.#failed.set(outcome, (this.#failed.get(outcome) ?? 0) + 1);
      await pause(askEveryMs);
    }
  }

  async #ask(url: string): Promise<string> {
    try {
      const answer = await fetchApi(url, { signal: AbortSignal.timeout(longestMs) });
      await answer.arrayBuffer();
      return String(answer.status);
    } catch (error) {
      if ((error as Error).name !== 'TimeoutError') throw error;
      return `no answer in ${longestMs / 1_000} s`;
    }
  }
}

/** How long after a change was recorded a question shows it, ms. */
async function timeUntil(server: RunningServer, what: string, text: string, from: number): Promise<number> {
  for (;;) {
    const answer = await fetchApi(`${server.url}/api/v1/${what}`);
    if ((await answer.text()).includes(text)) return performance.now() - from;
    if (performance.now() - from > 60_000) return Number.POSITIVE_INFINITY;
    await pause(20);
  }
}

async function changes(
  { send }: Collector,
  webs: readonly RunningServer[],
  nodeId: string,
  isOver: () => boolean,
): Promise<Map<string, number[]>> {
  const took = new Map<string, number[]>();
  const { items } = await api<FleetPage>(webs[0] as RunningServer, `fleet?q=node%3D${nodeId}`);
  const [line] = items;
  if (line?.kind !== 'client') throw new Error(`bench: expected the client ${nodeId}`);
  const questions = { 'its page': `clients/${line.client.id}`, 'the list': `fleet?q=node%3D${nodeId}` };
  for (let n = 0; !isOver(); n++) {
    const version = `change-${n}.`;
    const from = performance.now();
    send({ kind: 'change', version });
    await Promise.all(
      webs.flatMap((web, index) =>
        Object.entries(questions).map(async ([page, what]) => {
          const key = `${page}, web process ${index + 1}`;
          took.set(key, [...(took.get(key) ?? []), await timeUntil(web, what, version, from)]);
        }),
      ),
    );
    await pause(changeEveryMs);
  }
  return took;
}

/** A web process that is added: from its spawn to the first page of the list. */
async function measureStart(url: string, dataDir: string): Promise<void> {
  const startedAt = performance.now();
  const web = await startServer(['--role', 'web', '--store', url, '--data-dir', dataDir]);
  try {
    const readyAfterMs = performance.now() - startedAt;
    await api<FleetPage>(web, pages['the list of clients']);
    const pageMs = performance.now() - startedAt;
    printFigure(
      'a further web process: from the spawn to the first page of the list',
      `${(pageMs / 1_000).toFixed(1)} s, ready after ${(readyAfterMs / 1_000).toFixed(1)} s; ${cpuSeconds(pidOf(web)).toFixed(1)} s of processor`,
    );
  } finally {
    await web.stop('SIGKILL');
  }
}

/** Ends the process that folds the fleet, and measures for how long the other one cannot answer. */
async function measureTakeover(folder: RunningServer, other: RunningServer): Promise<void> {
  const at = performance.now();
  await folder.stop('SIGKILL');
  const cpuBefore = cpuSeconds(pidOf(other));
  const seen = new Map<string, number>();
  const found = await waitUntil(
    'the other process folds the fleet',
    async () => {
      const answer = await fetchApi(`${other.url}/api/v1/nacks`);
      const text = await answer.text();
      if (answer.ok) return performance.now() - at;
      const { detail = text } = JSON.parse(text) as { readonly detail?: string };
      if (!seen.has(detail)) seen.set(detail, performance.now() - at);
      return undefined;
    },
    readyMs,
  );
  printFigure(
    'the process that folds the fleet is killed: NACKs answered after',
    `${(found / 1_000).toFixed(1)} s, ${(cpuSeconds(pidOf(other)) - cpuBefore).toFixed(1)} s of processor; resident ${memoryMb(pidOf(other), 'VmRSS').toFixed(0)} MiB`,
  );
  await waitUntil(
    'the log is read',
    async () => (await api<{ readonly restoring: boolean }>(other, 'nacks')).restoring === false,
    readyMs,
  );
  printFigure('... and all of them', `after ${((performance.now() - at) / 1_000).toFixed(1)} s`);
  for (const [detail, ms] of seen) print(`    503 after ${(ms / 1_000).toFixed(1)} s: ${detail}`);
}

async function main(): Promise<void> {
  print(
    `${clients} clients, ${perSecond} observations a second for ${seconds} s, ${collectorCount} collectors, ${webCount} web processes (${os.cpus().length} cores, load ${(os.loadavg()[0] ?? 0).toFixed(1)})`,
  );
  const postgres = await startPostgres({
    isDurable: true,
    settings: { shared_buffers: '512MB', max_wal_size: '8GB' },
  });
  const url = await postgres.createDatabase();
  const database = await openPostgres({ url });
  const log = new ObservationLog(database, systemClock);
  const folder = tempDir();
  const webs: RunningServer[] = [];
  let collectors: Collector[] = [];
  try {
    /** All web processes need the redaction key of the first one. */
    const dataDirOf = (index: number): string => {
      const dataDir = path.join(folder, `web-${index}`);
      mkdirSync(dataDir);
      if (index > 0)
        copyFileSync(path.join(folder, 'web-0', 'redaction.key'), path.join(dataDir, 'redaction.key'));
      return dataDir;
    };
    for (let index = 0; index < webCount; index++)
      webs.push(await startServer(['--role', 'web', '--store', url, '--data-dir', dataDirOf(index)]));
    const filledFrom = performance.now();
    const share = Math.ceil(clients / collectorCount);
    collectors = Array.from({ length: collectorCount }, (_, index) =>
      startCollector({
        ...{ url, name: `collector-${index}`, first: index * share },
        clients: Math.min(share, clients - index * share),
      }),
    );
    const totalWaiting = (): number =>
      collectors.reduce((sum, { report }) => sum + (report()?.waiting ?? Number.NaN), 0);
    const listed = async (web: RunningServer) =>
      (await api<FleetPage>(web, 'fleet?limit=1')).total.clients === clients;
    await waitUntil('all clients are stored', () => totalWaiting() === 0, readyMs);
    const storedMs = performance.now() - filledFrom;
    for (const web of webs) await waitUntil('all clients are listed', () => listed(web), readyMs);
    printFigure(
      'all clients recorded and stored; and listed',
      `${(storedMs / 1_000).toFixed(1)} s; ${((performance.now() - filledFrom) / 1_000).toFixed(1)} s`,
    );

    const appended = () => collectors.reduce((sum, { report }) => sum + (report()?.appended ?? 0), 0);
    const cpu = () => ({
      PostgreSQL: cpuSecondsOfChildren(postgres.pid),
      collectors: collectors.reduce((sum, each) => sum + cpuSeconds(pidOf(each)), 0),
      ...Object.fromEntries(webs.map((web, index) => [`web process ${index + 1}`, cpuSeconds(pidOf(web))])),
    });
    const [startedAt, appendedBefore, cpuBefore] = [performance.now(), appended(), cpu()];
    const { newestSeq: seqBefore } = await log.readHeads();
    for (const { send } of collectors) send({ kind: 'record', perSecond: perSecond / collectorCount });
    let isOver = false;
    const asking = webs.flatMap((web, index) =>
      Object.entries(pages).map(
        ([name, what]) =>
          [`${name}, web process ${index + 1}`, new Asking(`${web.url}/api/v1/${what}`)] as const,
      ),
    );
    const changing = changes(collectors[0] as Collector, webs, 'shop-000000', () => isOver);
    await pause(seconds * 1_000);
    const measuredS = (performance.now() - startedAt) / 1_000;
    const [appendedThen, cpuThen] = [appended(), cpu()];
    const { newestSeq: seqThen } = await log.readHeads();
    for (const { send } of collectors) send({ kind: 'stop' });
    isOver = true;

    const rate = (count: number) => `${(count / measuredS).toFixed(0)}/s`;
    printFigure('observations recorded', rate(appendedThen - appendedBefore));
    printFigure('observations acknowledged and stored', rate(seqThen - seqBefore));
    const stoppedAt = performance.now();
    await waitUntil('everything is stored', () => totalWaiting() === 0, readyMs);
    printFigure(
      'waiting in the collectors at the end',
      `${appendedThen - appendedBefore - (seqThen - seqBefore)}, stored ${((performance.now() - stoppedAt) / 1_000).toFixed(1)} s later`,
    );
    for (const [name, after] of Object.entries(cpuThen)) {
      const before = Object.entries(cpuBefore).find(([each]) => each === name)?.[1] ?? 0;
      const aim = name === 'PostgreSQL' ? ` (aim: ${aims.postgresCores})` : '';
      printFigure(`processor: ${name}`, `${((after - before) / measuredS).toFixed(2)} cores${aim}`);
    }
    for (const [name, each] of asking) printFigure(name, await each.stop());
    for (const [name, ms] of await changing)
      printFigure(
        `a change, from the recorder to ${name}`,
        `p50 ${percentile(ms, 0.5).toFixed(0)} ms, longest ${percentile(ms, 1).toFixed(0)} ms of ${ms.length} (aim: ${aims.changeMs} ms)`,
      );
    const { newestSeq } = await log.readHeads();
    const recorded = appended();
    if (newestSeq !== recorded)
      throw new Error(`bench: expected ${recorded} observations in the store, got ${newestSeq}`);

    const healths = await Promise.all(webs.map((web) => api<Health>(web, 'health')));
    const of = healths.findIndex(({ sharedStore }) => sharedStore?.holdsFleet === true);
    const [folds, other] = [webs[of], webs[1 - of]];
    if (folds === undefined || other === undefined)
      throw new Error('bench: expected a process that folds the fleet');
    for (const [index, web] of webs.entries())
      printFigure(`resident, web process ${index + 1}`, `${memoryMb(pidOf(web), 'VmRSS').toFixed(0)} MiB`);
    await measureStart(url, dataDirOf(webCount));
    await measureTakeover(folds, other);
  } finally {
    for (const { process: child } of collectors) child.kill('SIGKILL');
    for (const web of webs) await web.stop('SIGKILL');
    await database.close();
    await postgres.stop();
  }
}

if (childTask() === 'collect') {
  const report = (state: CollectorReport) => void process.send?.(state);
  const run = await runCollector(JSON.parse(process.argv.at(-1) ?? ''), report);
  process.on('message', run);
} else await main();
