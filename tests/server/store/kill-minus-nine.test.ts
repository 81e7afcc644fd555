import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import { systemClock } from '@/server/observe';
import { Checkpoints } from '@/server/store/checkpoints';
import { ObservationLog } from '@/server/store/log';
import { crashBatch } from '@/tests/support/builders/crash-batch';
import { bundleSupportProgram } from '@/tests/support/recorder-bundle';
import { isLong } from '@/tests/support/runs';
import { describeEngines } from './engines';

const rounds = isLong ? 50 : 4;

/** Kills a writer after a number of acknowledgements, during its next batch. Returns the newest acknowledged number. */
async function writeAndKill(args: readonly string[], acknowledgements: number): Promise<number> {
  const child = spawn(process.execPath, [...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  let [acknowledged, count] = [0, 0];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line);
    count += 1;
    if (count === acknowledgements) child.kill('SIGKILL');
  }
  await closed;
  expect(child.signalCode).toBe('SIGKILL');
  return acknowledged;
}

describeEngines('kill -9 of a writer', ({ engine, open, openAgain, place }) => {
  it('loses no acknowledged batch and doubles none, when each writer sends again what was not acknowledged', async () => {
    await open();
    const program = bundleSupportProgram('store-crash-child');
    // One process at a time writes a SQLite file.
    const collectors = engine === 'sqlite' ? ['a'] : ['a', 'b'];
    const newest = new Map<string, number>();
    for (let round = 1; round <= rounds; round++) {
      const killed = collectors.map(async (collector) => {
        const next = String((newest.get(collector) ?? 0) + 1);
        const acknowledged = await writeAndKill([program, engine, place(), collector, next], 3 + 5 * round);
        newest.set(collector, acknowledged);
      });
      await Promise.all(killed);
    }
    const log = new ObservationLog(await openAgain(), systemClock);
    const totals = await log.readTotals();
    for (const collector of collectors) {
      const { n = 0 } = await lastBatchOf(log, collector);
      const acknowledged = newest.get(collector) ?? 0;
      // The batch that was being written is there as a whole, or not at all.
      expect([acknowledged, acknowledged + 1]).toContain(n);
      const expected = Array.from({ length: n }, (_, index) => crashBatch(collector, index + 1)).flat();
      expect(await log.countHistory({ clientId: collector })).toBe(expected.length);
      const found: unknown[] = [];
      for (let afterSeq = 0; found.length < expected.length; ) {
        const page = await log.readObservations({ clientId: collector, afterSeq, limit: 500, order: 'asc' });
        found.push(...page.map(({ seq: _, ...observation }) => observation));
        afterSeq = page.at(-1)?.seq ?? Number.MAX_SAFE_INTEGER;
        if (page.length === 0) break;
      }
      expect(found).toEqual(expected);
    }
    // Seqs have no holes: a batch that was rolled back returned its own.
    expect(totals.newestSeq).toBe(totals.observations);
    await compareClients(log, collectors);
  });
});

/** Compares clients, the checkpoint and what is counted with the fold of the whole log. */
async function compareClients(log: ObservationLog, clientIds: readonly string[]): Promise<void> {
  const { newestSeq, checkpointSeq } = await log.readTotals();
  expect(checkpointSeq).toBeGreaterThan(0);
  const wanted = new Set([1, 2, 3, 4].map((part) => Math.floor((newestSeq * part) / 4)));
  const world: World = new Map();
  for (let afterSeq = 0; afterSeq < newestSeq; ) {
    for (const observation of await log.readObservations({ afterSeq, limit: 500, order: 'asc' })) {
      foldObservation(world, observation);
      afterSeq = observation.seq;
      if (afterSeq === checkpointSeq) {
        const restored = await new Checkpoints(log.checkpoints).load();
        expect(new Map(restored?.clients.map((client) => [client.clientId, client]))).toEqual(world);
      }
      if (!wanted.has(afterSeq)) continue;
      for (const clientId of clientIds) {
        const found = await log.readClientAt(clientId, { seq: afterSeq });
        expect(found?.client).toEqual(world.get(clientId));
      }
    }
  }
  const density = await log.readDensity({}, 60_000);
  expect(density.reduce((sum, { count }) => sum + count, 0)).toBe(newestSeq);
}

async function lastBatchOf(log: ObservationLog, clientId: string): Promise<{ readonly n?: number }> {
  const [last] = await log.readObservations({ clientId, limit: 1, order: 'desc' });
  return last === undefined ? {} : { n: Math.floor(last.at / 1_000) };
}
