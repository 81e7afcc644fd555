import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { foldObservation, type World } from '@/lib/observation/fold';
import { chooseBucket } from '@/lib/view-model/churn/choose-bucket';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { ConvergenceReader } from '@/server/convergence/convergence-reader';
import { systemClock } from '@/server/observe';
import { openRecorder } from '@/server/recorder/open-recorder';
import { makeDay } from '../support/make-day';

/** Questions about who has accepted what, and about churn, over a recorded day. */
const observations = Number(process.env.XDSCOPE_BENCH_OBSERVATIONS ?? 1_000_000);
const startAt = Date.UTC(2026, 10, 20);
const dayMs = 86_400_000;
const day = { observations, startAt, clients: 100, largeClients: 1, manyServices: 5_000, seed: 4 };
const maxBehind = 20_000;
const name = 'outbound|8080||service-17.shop.svc.cluster.local';

async function timed(what: string, work: () => Promise<string>): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const startedAt = performance.now();
  const answer = await work();
  const ms = performance.now() - startedAt;
  delay.disable();
  const blockedMs = (delay.max / 1e6).toFixed(0);
  const rssMb = (process.memoryUsage().rss / 1e6).toFixed(0);
  process.stdout.write(
    `  ${what.padEnd(34)} ${ms.toFixed(0)} ms, event loop held at most ${blockedMs} ms, ${rssMb} MB: ${answer}\n`,
  );
}

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-bench-convergence-'));
try {
  process.stdout.write(`convergence: a day of ${observations} observations, ${day.clients} clients\n`);
  const retention = { maxAgeMs: 1e15, maxBytes: 1e15 };
  const recorder = await openRecorder({ dataDir, clock: systemClock, retention });
  const world: World = new Map();
  let appended = 0;
  for (const batch of makeDay(day, { wire: 0, delta: 0 })) {
    for (const emission of batch) {
      appended = recorder.append(emission);
      foldObservation(world, { ...emission.observation, seq: appended });
    }
    await new Promise(setImmediate);
    while (appended - recorder.stats().newestSeq > maxBehind) await new Promise(setImmediate);
  }
  await recorder.flushed();
  const freshnessOf = () => ({ freshness: 'live', reason: '', lastSeenAt: null }) as const;
  const reader = new ConvergenceReader({ recorder, world, freshnessOf });
  const now = { until: startAt + dayMs, isNow: true };
  const spreadOf = async (question: Parameters<ConvergenceReader['find']>[0]) => {
    const { accepted, total } = (await reader.find(question, now))?.validated.spread ?? {
      accepted: 0,
      total: 0,
    };
    return `${accepted} of ${total}`;
  };
  for (const round of ['first', 'again']) {
    await timed(`a resource, ${round}`, () => spreadOf({ kind: 'resource', typeUrl: EDS.typeUrl, name }));
    const version = '2026-11-21T08:00:00Z/777';
    await timed(`a version, ${round}`, () => spreadOf({ kind: 'version', typeUrl: EDS.typeUrl, version }));
    await timed(`of all clients, ${round}`, () =>
      spreadOf({ kind: 'version', typeUrl: CDS.typeUrl, version: '2026-11-21T08:00:00Z/0' }),
    );
    await timed(
      `the newest 50 pushes, ${round}`,
      async () => `${(await reader.recent(now, 50)).found.length}`,
    );
  }
  for (const hours of [1, 6, 24]) {
    const spanMs = hours * 3_600_000;
    const until = startAt + dayMs;
    const extent = { from: until - spanMs, until, bucketMs: chooseBucket(spanMs) };
    await timed(`churn of ${hours} h`, async () => {
      const { reported, read } = await reader.churn(extent, undefined);
      return `${read} read, ${reported.resourceCount} changed`;
    });
  }
  await reader.close();
  await recorder.close();
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
