import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Observation } from '@/lib/observation/observation';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { seededRandom } from '@/server/lab/random';
import { systemClock } from '@/server/observe';
import type { ClientAt, HistoryFilter, HistoryQuery } from '@/server/store/history-query';
import { ObservationLog } from '@/server/store/log';
import { openPostgres } from '@/server/store/open-postgres';
import { openSqlite } from '@/server/store/open-sqlite';
import { openRecorder } from '@/server/store/recorder/open-recorder';
import type { StoreDatabase } from '@/server/store/schema';
import { makeDay } from '../support/builders/make-day';
import { findPostgres, startPostgres } from '../support/postgres';
import { printCheckpoints } from './checkpoint-figures';
import { measure, median, pause, percentile, print, printFigure, tempDir } from './measure';

/** The rows of server/store on SQLite and PostgreSQL beside the recorder of today, with the same day and no bodies. */
const observations = Number(process.env.XDSCOPE_BENCH_OBSERVATIONS ?? 1_000_000);
const only = (process.env.XDSCOPE_BENCH_STORES ?? 'recorder,sqlite,postgres').split(',');
const clients = (process.env.XDSCOPE_BENCH_CLIENTS ?? '25000,100000').split(',').map(Number);
const startAt = Date.UTC(2026, 10, 20);
const day = { observations, startAt, clients: 100, largeClients: 1, manyServices: 5_000, seed: 4 };
/** What the recorder sends to its thread at once. */
const batchSize = 2_048;
const chunkSize = 50_000;
const rounds = 5;
/** Processor time that followClients() took. */
let followedMs = 0;

interface Store {
  append(observations: readonly Observation[]): Promise<unknown>;
  flushed(): Promise<unknown>;
  /** Resolves when the snapshots of all clients are as new as the log. Absent: each append makes those that are due. */
  followed?(): Promise<void>;
  count(filter: HistoryFilter): Promise<number>;
  page(query: HistoryQuery): Promise<readonly unknown[]>;
  density(bucketMs: number): Promise<readonly unknown[]>;
  marks(filter: HistoryFilter): Promise<{ readonly total: number }>;
  clientAt(clientId: string, at: number): Promise<ClientAt | undefined>;
  /** Absent of the recorder, which reads it from its file. */
  churn?(from: number, to: number): Promise<number>;
  /** Deletes half of the log. Returns the longest time that an append took meanwhile, ms. */
  deleteHalf?(newest: Observation): Promise<number>;
  sizeBytes(): Promise<number>;
  close(): Promise<void>;
}

async function openRecorderStore(): Promise<Store> {
  const retention = { maxAgeMs: 1e15, maxBytes: 1e15 };
  const recorder = await openRecorder({ dataDir: tempDir(), clock: systemClock, retention });
  return {
    async append(batch) {
      for (const observation of batch) recorder.append({ observation, bodies: [] });
      await recorder.keepPace();
    },
    flushed: () => recorder.flushed(),
    async followed() {
      // The first step after the last write states what is left.
      do await pause(500);
      while (recorder.stats().notFollowed > 0);
    },
    count: (filter) => recorder.countHistory(filter),
    page: (query) => recorder.readHistory(query),
    density: (bucketMs) => recorder.readDensity({}, bucketMs),
    marks: (filter) => recorder.readMarks(filter, 50_000),
    clientAt: (clientId, at) => recorder.readClientAt(clientId, at),
    sizeBytes: async () => recorder.stats().sizeBytes,
    close: () => recorder.close(),
  };
}

function storeOf(database: StoreDatabase, close: () => Promise<void>): Store {
  const log = new ObservationLog(database, systemClock);
  return {
    async append(batch) {
      await log.append({ observations: batch });
      const from = process.cpuUsage();
      while (await log.followClients());
      const { user, system } = process.cpuUsage(from);
      followedMs += (user + system) / 1000;
    },
    flushed: async () => undefined,
    count: (filter) => log.countHistory(filter),
    page: (query) => log.readHistory(query),
    density: (bucketMs) => log.readDensity({}, bucketMs),
    marks: (filter) => log.readMarks(filter, 50_000),
    clientAt: (clientId, at) => log.readClientAt(clientId, at),
    churn: (from, to) => log.readChurn({ from, to }, () => undefined),
    async deleteHalf(newest) {
      const { newestSeq, observations: count } = await log.readTotals();
      await log.advanceCheckpoint(newestSeq);
      const limits = { olderThan: -8.64e15, maxBytes: Number.MAX_SAFE_INTEGER, maxCount: count / 2 };
      let isEnded = false;
      const deleted = log.applyRetention({ limits }).finally(() => {
        isEnded = true;
      });
      let longest = 0;
      while (!isEnded) {
        const from = performance.now();
        await log.append({ observations: [newest] });
        longest = Math.max(longest, performance.now() - from);
        await pause(20);
      }
      await deleted;
      return longest;
    },
    sizeBytes: async () => (await database.size()).bytes,
    close,
  };
}

async function openStore(name: string): Promise<Store> {
  if (name === 'recorder') return openRecorderStore();
  if (name === 'sqlite') {
    const database = await openSqlite({ file: path.join(tempDir(), 'store.sqlite') });
    return storeOf(database, () => database.close());
  }
  const settings = { shared_buffers: '512MB', max_wal_size: '4GB' };
  const server = await startPostgres({ isDurable: true, settings });
  const database = await openPostgres({ url: await server.createDatabase() });
  return storeOf(database, async () => {
    await database.close();
    await server.stop();
  });
}

/** The observations in chunks, each of which is complete before its writing is measured. */
function* chunksOf(): Generator<Observation[]> {
  let chunk: Observation[] = [];
  for (const emissions of makeDay(day, { wire: 0, delta: 0 })) {
    for (const { observation } of emissions) chunk.push(observation);
    if (chunk.length < chunkSize) continue;
    yield chunk;
    chunk = [];
  }
  yield chunk;
}

interface Filled {
  readonly large: string;
  readonly small: string;
  readonly newest: Observation;
}

/** Returns the ids of two clients. */
async function fill(store: Store): Promise<Filled> {
  const before = await store.sizeBytes();
  let [wallMs, cpuMs, count] = [0, 0, 0];
  const clientIds = new Set<string>();
  let newest: Observation | undefined;
  followedMs = 0;
  for (const chunk of chunksOf()) {
    const [wallFrom, cpuFrom] = [performance.now(), process.cpuUsage()];
    for (let from = 0; from < chunk.length; from += batchSize) {
      await store.append(chunk.slice(from, from + batchSize));
    }
    await store.flushed();
    const { user, system } = process.cpuUsage(cpuFrom);
    wallMs += performance.now() - wallFrom;
    cpuMs += (user + system) / 1000;
    count += chunk.length;
    newest = chunk.at(-1);
    for (const each of chunk.slice(0, 10_000)) if ('clientId' in each) clientIds.add(each.clientId);
  }
  const each = (ms: number) => ((ms * 1000) / count).toFixed(1);
  const perSecond = (ms: number) => Math.round((count / ms) * 1000);
  printFigure('appended, on the disk', `${perSecond(wallMs)}/s, ${each(wallMs)} µs each`);
  printFigure(
    '  processor time of all threads of this process',
    `${each(cpuMs)} µs each: ${perSecond(cpuMs)}/s on one core`,
  );
  if (followedMs > 0) printFigure('  of which for the snapshots of clients', `${each(followedMs)} µs`);
  const followedFrom = performance.now();
  await store.followed?.();
  if (store.followed !== undefined)
    printFigure(
      '  snapshots of clients made after',
      `${((performance.now() - followedFrom) / 1_000).toFixed(1)} s`,
    );
  const size = (await store.sizeBytes()) - before;
  printFigure('  size', `${(size / count).toFixed(0)} bytes an observation`);
  const [large = '', small = ''] = clientIds;
  if (newest === undefined) throw new Error('expected a day of observations, got none');
  return { large, small, newest };
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  let answer: unknown;
  for (let round = 0; round < rounds; round++) {
    const from = performance.now();
    answer = await work();
    times.push(performance.now() - from);
  }
  const [first = 0] = times;
  printFigure(
    what,
    `median ${median(times).toFixed(1)} ms, first ${first.toFixed(0)} ms (${String(answer)})`,
  );
}

async function readClients(store: Store, clientIds: readonly string[]): Promise<void> {
  const random = seededRandom(7);
  for (const clientId of clientIds) {
    const [wall, cpu]: [number[], number[]] = [[], []];
    let held = 0;
    for (let round = 0; round < 25; round++) {
      const at = startAt + 3_600_000 + random() * 82_000_000;
      const { wallMs, cpuMs, result } = await measure(() => store.clientAt(clientId, at));
      wall.push(wallMs);
      cpu.push(cpuMs);
      for (const { resources } of result?.client.reports.values() ?? [])
        held = Math.max(held, resources.size);
    }
    const summary = (times: readonly number[]) =>
      `median ${median(times).toFixed(1)} ms, 95th ${percentile(times, 0.95).toFixed(1)} ms`;
    printFigure(`a client of ${held} resources at a random moment`, summary(wall));
    printFigure('  of the processor', summary(cpu));
  }
}

async function read(store: Store, { large, small: clientId, newest }: Filled): Promise<void> {
  const filters: Readonly<Record<string, HistoryFilter>> = {
    everything: {},
    'a client': { clientId },
    'a name': { resourceName: 'outbound|8080||service-17.shop.svc.cluster.local' },
    NACKs: { isRejection: true },
    'a type': { typeUrls: [CDS.typeUrl] },
    'the most frequent type': { typeUrls: [EDS.typeUrl] },
    'a part of an error text': { errorText: 'service-17.shop' },
    'half an hour': { from: startAt + 36e6, to: startAt + 37.8e6 },
    'half an hour of a client': { clientId, from: startAt + 36e6, to: startAt + 37.8e6 },
    'half of the day': { from: startAt, to: startAt + 43.2e6 },
  };
  for (const [what, filter] of Object.entries(filters)) {
    await timed(`count, ${what}`, () => store.count(filter));
    await timed(
      `  newest 200`,
      async () => (await store.page({ ...filter, limit: 200, order: 'desc' })).length,
    );
  }
  await timed('density of the day', async () => (await store.density(600_000)).length);
  await timed('marks of a client', async () => (await store.marks({ clientId })).total);
  const { churn } = store;
  if (churn !== undefined) {
    await timed('churn of 5 s', () => churn(startAt + 36e6, startAt + 36e6 + 5_000));
    await timed('churn of an hour', () => churn(startAt + 36e6, startAt + 39.6e6));
  }
  await readClients(store, [large, clientId]);
  const longest = await store.deleteHalf?.(newest);
  if (longest !== undefined) printFigure('longest append while half is deleted', `${longest.toFixed(0)} ms`);
}

print(
  `store: a day of ${observations} observations of 100 clients, without bodies\n` +
    `  (${os.cpus().length} cores, load ${(os.loadavg()[0] ?? 0).toFixed(1)}: of a machine that others use the times are too long)`,
);
for (const name of only) {
  if (name === 'postgres' && findPostgres() === undefined) {
    print('postgres: no PostgreSQL is installed');
    continue;
  }
  print(`${name}:`);
  const store = await openStore(name);
  await read(store, await fill(store));
  await store.close();
}
if (only.includes('sqlite')) for (const count of clients) await printCheckpoints(count);
