import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { pipeline } from 'node:stream/promises';
import type { World } from '@/lib/observation/fold';
import { CDS } from '@/lib/xds/resource-type';
import { ImportNames } from '@/server/files/import/import-names';
import { importRecording } from '@/server/files/import/import-recording';
import { readRecording } from '@/server/files/import/read-recording';
import type { FileRecord } from '@/server/files/xdscope-format/file-record';
import { readXdscopeFile } from '@/server/files/xdscope-format/read-file';
import { writeXdscopeFile } from '@/server/files/xdscope-format/write-file';
import { seededRandom } from '@/server/lab/random';
import { LiveState } from '@/server/live/live-state';
import { type Body, systemClock } from '@/server/observe';
import { LoadRecorder } from '@/server/recorder/load/load-recorder';
import { openRecorder } from '@/server/recorder/open-recorder';
import { makeDay } from '../support/make-day';
import { answer, childTask, inOwnProcess } from './in-own-process';

/** How long the thread that serves pages is held up at a time, while a large file is imported. */
const observations = Number(process.env.XDSCOPE_BENCH_OBSERVATIONS ?? 300_000);
const paddingBytes = Number(process.env.XDSCOPE_BENCH_FILE_BYTES ?? 100_000_000) * 0.8;
const day = {
  observations,
  startAt: Date.UTC(2026, 10, 20),
  clients: 100,
  largeClients: 1,
  manyServices: 5_000,
  seed: 4,
};
const fileName = 'day.xdscope';

async function* records(): AsyncGenerator<FileRecord> {
  const random = seededRandom(9);
  let seq = 0;
  let padded = 0;
  for (const batch of makeDay(day, { wire: 0, delta: 0 })) {
    yield { kind: 'bodies', bodies: batch.flatMap(({ bodies }) => bodies) };
    yield {
      kind: 'observations',
      observations: batch.map(({ observation }) => ({ ...observation, seq: ++seq })),
    };
    // Resources that hardly compress.
    const due = Math.floor((seq / observations) * paddingBytes) - padded;
    const bodies: Body[] = [];
    for (let made = 0; made < due; made += 16 * 1024) {
      // A file has no hashes: who reads it makes them.
      const bytes = new Uint8Array(16 * 1024).map(() => random() * 256);
      bodies.push({ hash: '', typeUrl: CDS.typeUrl, bytes });
      padded += bytes.length;
    }
    if (bodies.length > 0) yield { kind: 'bodies', bodies };
  }
}

/** Of this thread, on a processor: on a busy machine the clock on the wall reports others. Linux alone knows it. */
function threadCpuMs(): number {
  if (process.platform !== 'linux') return performance.now();
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
}

interface Turns {
  readonly cpu: number[];
  readonly wall: number[];
}

/** How long the event loop took to come back to what was due, in ms: asked all the time, from now on. */
function watchLoop(): () => Turns {
  const turns: Turns = { cpu: [], wall: [] };
  let isOver = false;
  let before = { cpu: threadCpuMs(), wall: performance.now() };
  const turn = (): void => {
    const now = { cpu: threadCpuMs(), wall: performance.now() };
    turns.cpu.push(now.cpu - before.cpu);
    turns.wall.push(now.wall - before.wall);
    before = now;
    if (!isOver) setTimeout(turn, 0);
  };
  setTimeout(turn, 0);
  return () => {
    isOver = true;
    return turns;
  };
}

function summary({ cpu, wall }: Turns): string {
  const reported = (turns: number[]): string => {
    const sorted = turns.sort((a, b) => a - b);
    const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
    const over = sorted.filter((each) => each > 50).length;
    return `median ${at(0.5)}, 99th ${at(0.99)}, 99.9th ${at(0.999)}, max ${at(1)} ms, ${over} over 50 ms`;
  };
  return `${cpu.length} turns; of its own: ${reported(cpu)}; by the clock: ${reported(wall)}`;
}

interface Imported {
  readonly idle: string;
  readonly importing: string;
  readonly seconds: number;
  readonly bodies: number;
  readonly lost: number;
}

/** As xdscope does it, in a process that does nothing else. */
async function importFile(dir: string, isInThread: boolean): Promise<Imported> {
  const idleLates = watchLoop();
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const idle = summary(idleLates());
  const dataDir = path.join(dir, isInThread ? 'data' : 'data-here');
  const recorder = await openRecorder({
    dataDir,
    clock: systemClock,
    retention: { maxAgeMs: 1e15, maxBytes: 1e15 },
  });
  const loads = await LoadRecorder.open({ dataDir, clock: systemClock });
  const world: World = new Map();
  const live = new LiveState(
    {
      clock: systemClock,
      publish: () => {},
      freshnessOf: () => ({ freshness: 'live', reason: '', lastSeenAt: null }),
      append: recorder.append.bind(recorder),
    },
    { world, newestSeq: 0 },
  );
  const startedAt = performance.now();
  const lates = watchLoop();
  const file = path.join(dir, fileName);
  const read = isInThread
    ? readRecording(file, Buffer.alloc(32, 1))
    : readXdscopeFile(createReadStream(file));
  const { lost, bodies } = await importRecording(read, {
    names: new ImportNames(fileName),
    observe: live.observe,
    keepPace: () => recorder.keepPace(),
    addLoad: (values, findSeries) => loads.add(values, findSeries),
  });
  await recorder.flushed();
  const seconds = (performance.now() - startedAt) / 1000;
  const importing = summary(lates());
  live.flush();
  await loads.close();
  await recorder.close();
  return { idle, importing, seconds, bodies, lost: lost.length };
}

async function main(): Promise<void> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-bench-import-'));
  const out = (line: string): boolean => process.stdout.write(`${line}\n`);
  try {
    await pipeline(writeXdscopeFile(records()), createWriteStream(path.join(dir, fileName)));
    const mb = statSync(path.join(dir, fileName)).size / 1e6;
    out(
      `import: a file of ${mb.toFixed(0)} MB, ${observations} observations, as it is read by the thread itself, and by another`,
    );
    for (const task of ['here', 'in-thread']) {
      const { idle, importing, seconds, bodies, lost } = inOwnProcess<Imported>(task, dir);
      out(
        `  ${task}: took ${seconds.toFixed(1)} s, ${(mb / seconds).toFixed(1)} MB/s; ${bodies} bodies, lost: ${lost}`,
      );
      out(`    idle:      ${idle}`);
      out(`    importing: ${importing}`);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const task = childTask();
if (task === undefined) await main();
else answer(await importFile(process.argv.at(-1) ?? '', task === 'in-thread'));
