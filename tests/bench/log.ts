import { readFileSync } from 'node:fs';
import os from 'node:os';
import { performance } from 'node:perf_hooks';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { seededRandom } from '@/server/lab/random';
import { type Emission, systemClock } from '@/server/observe';
import type { HistoryFilter } from '@/server/store/history-query';
import { openRecorder } from '@/server/store/recorder/open-recorder';
import type { Recorder } from '@/server/store/recorder/recorder';
import { makeDay, type RawBytes } from '../support/builders/make-day';
import { measure, pause, percentile, print, printFigure, tempDir } from './measure';

/** A recorded day: how fast it is written, how large it is, and how fast its parts are read. */
const observations = Number(process.env.XDSCOPE_BENCH_OBSERVATIONS ?? 1_000_000);
const startAt = Date.UTC(2026, 10, 20);
const day = { observations, startAt, clients: 100, largeClients: 1, manyServices: 5_000, seed: 4 };
/** The number of observations. */
const chunkSize = 50_000;
const sweepMs = 500;
/** The unit in which Linux counts the time of threads. */
const clockTickMs = 10;
const retention = { maxAgeMs: 1e15, maxBytes: 1e15 };

async function timed<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly answer: T }> {
  const startedAt = performance.now();
  const answer = await work();
  return { ms: performance.now() - startedAt, answer };
}

function summary(values: readonly number[]): string {
  const at = (share: number) => percentile(values, share).toFixed(0);
  return `median ${at(0.5)} ms, 95th ${at(0.95)} ms, max ${at(1)} ms`;
}

/** Processor time of this thread, ms; null if the system does not report it. */
function mainThreadMs(): number | null {
  if (process.platform !== 'linux') return null;
  const stat = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8');
  const [user = '', system = ''] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * clockTickMs;
}

/** The observations in chunks, each of which is complete before the measurement of its writing begins. */
function* chunksOf(batches: Iterable<Emission[]>): Generator<Emission[]> {
  let chunk: Emission[] = [];
  for (const batch of batches) {
    chunk.push(...batch);
    if (chunk.length < chunkSize) continue;
    yield chunk;
    chunk = [];
  }
  yield chunk;
}

async function followed(recorder: Recorder): Promise<void> {
  while (recorder.stats().notFollowed > 0) await pause(5);
}

/**
 * Writes the day. Wall time and processor time are measured from the first append of a chunk until all of it is on the
 * disk; garbage is collected before.
 */
async function record(dataDir: string): Promise<{ readonly raw: RawBytes; readonly clientIds: string[] }> {
  const raw: RawBytes = { wire: 0, delta: 0 };
  const clientIds = new Set<string>();
  const recorder = await openRecorder({ dataDir, clock: systemClock, retention });
  let mainMs = 0;
  let otherMs = 0;
  let ms = 0;
  let behind = 0;
  let followMs = 0;
  for (const chunk of chunksOf(makeDay(day, raw))) {
    gc?.();
    // V8 sweeps concurrently for a while.
    await pause(sweepMs);
    const [from, mainFrom, cpuFrom] = [performance.now(), mainThreadMs(), process.cpuUsage()];
    for (const [index, emission] of chunk.entries()) {
      recorder.append(emission);
      if (clientIds.size < day.clients && 'clientId' in emission.observation) {
        clientIds.add(emission.observation.clientId);
      }
      if (index % 500 !== 499) continue;
      await new Promise(setImmediate);
      await recorder.keepPace();
    }
    await recorder.flushed();
    ms += performance.now() - from;
    const chunkMainMs = (mainThreadMs() ?? 0) - (mainFrom ?? 0);
    const { user, system } = process.cpuUsage(cpuFrom);
    mainMs += chunkMainMs;
    otherMs += (user + system) / 1000 - chunkMainMs;
    behind += recorder.stats().notFollowed;
    followMs += (await timed(() => followed(recorder))).ms;
  }
  const { observations: count, missed, bodies } = recorder.stats();
  printFigure('observations, bodies, missed', `${count}, ${bodies}, ${missed}`);
  printFigure('written and on the disk (fsync each batch)', `${Math.round((count / ms) * 1000)}/s`);
  if (mainThreadMs() !== null) {
    const each = (spent: number) => `${((spent * 1000) / count).toFixed(1)} µs each`;
    const bound = Math.round((count / Math.max(mainMs, otherMs)) * 1000);
    printFigure('  processor time on the event loop', each(mainMs));
    printFigure('  processor time in the recorder, and in V8 beside both', each(otherMs));
    printFigure('  so with a core for each of the two at most', `${bound}/s`);
  }
  printFigure('  left for later', `snapshots of ${behind}, made in ${(followMs / 1000).toFixed(1)} s`);
  printFigure('  so without a pause', `${Math.round((count / (ms + followMs)) * 1000)}/s`);
  await recorder.close();
  return { raw, clientIds: [...clientIds] };
}

async function read(recorder: Recorder, [large = '', ...others]: readonly string[]): Promise<void> {
  const [small = ''] = others;
  const name = 'outbound|8080||service-17.shop.svc.cluster.local';
  const filters: Readonly<Record<string, HistoryFilter>> = {
    everything: {},
    'a client': { clientId: small },
    'a type': { typeUrls: [EDS.typeUrl] },
    'a kind (NACK)': { kinds: ['nack-sent'] },
    'a resource name': { resourceName: name },
    'a version': { version: '2026-11-21T08:00:00Z/777' },
    'a part of an error text': { errorText: 'service-17.shop' },
    'half an hour': { from: startAt + 36e6, to: startAt + 37.8e6 },
    'nothing that there is': { resourceName: 'nobody' },
  };
  for (const round of ['first time', 'again']) {
    for (const [what, filter] of Object.entries(filters)) {
      const { ms, answer } = await timed(() =>
        recorder.readHistory({ ...filter, order: 'desc', limit: 200 }),
      );
      printFigure(`first page, by ${what}, ${round}`, `${ms.toFixed(0)} ms (${answer.length} rows)`);
    }
  }
  const count = await timed(() => recorder.countHistory({ typeUrls: [CDS.typeUrl] }));
  printFigure('count of a type, whole day', `${count.ms.toFixed(0)} ms (${count.answer})`);
  const marks = await timed(() => recorder.readMarks({ clientId: small }, 50_000));
  printFigure(
    'marks of a client, whole day',
    `${marks.ms.toFixed(0)} ms (${marks.answer.marks.length} of ${marks.answer.total})`,
  );
  const hour = { from: startAt + 36e6, to: startAt + 39.6e6 };
  const wide = await timed(() => recorder.readMarks(hour, 50_000));
  printFigure(
    'marks of everybody, one hour',
    `${wide.ms.toFixed(0)} ms (${wide.answer.marks.length} of ${wide.answer.total})`,
  );
  const density = await timed(() => recorder.readDensity({}, 300_000));
  printFigure('density of the whole day', `${density.ms.toFixed(0)} ms (${density.answer.length} buckets)`);
  const random = seededRandom(7);
  for (const [what, clientId] of [
    [`a client of ${2 * day.manyServices} resources`, large],
    ['a client of 400 resources', small],
  ] as const) {
    const times: number[] = [];
    const cpuTimes: number[] = [];
    let held = 0;
    for (let round = 0; round < 25; round++) {
      const at = startAt + 3_600_000 + random() * 82_000_000;
      const { wallMs, cpuMs, result } = await measure(() => recorder.readClientAt(clientId, at));
      times.push(wallMs);
      cpuTimes.push(cpuMs);
      for (const report of result?.client.reports.values() ?? [])
        held = Math.max(held, report.resources.size);
    }
    printFigure(`readClientAt, ${what} (${held}), random moments`, summary(times));
    printFigure('  of the processor', summary(cpuTimes));
  }
}

const dataDir = tempDir();
print(
  `log: a day of ${observations} observations, ${day.clients} clients, made while the clock stands still\n` +
    `  (${os.cpus().length} cores, load ${(os.loadavg()[0] ?? 0).toFixed(1)}: of a machine that others use the times are too long)`,
);
const { raw, clientIds } = await record(dataDir);
const { ms, answer: recorder } = await timed(() => openRecorder({ dataDir, clock: systemClock, retention }));
printFigure('opened', `${ms.toFixed(0)} ms`);
const { sizeBytes } = recorder.stats();
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
printFigure('the file', `${mb(sizeBytes)}, ${(sizeBytes / observations).toFixed(0)} bytes an observation`);
printFigure(
  'raw messages, state of the world',
  `${mb(raw.wire)}: ${(raw.wire / sizeBytes).toFixed(1)} times the file`,
);
printFigure('raw messages, delta', `${mb(raw.delta)}: ${(raw.delta / sizeBytes).toFixed(1)} times the file`);
await read(recorder, clientIds);
await recorder.close();
