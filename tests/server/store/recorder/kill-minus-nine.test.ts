import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Recorded } from '@/lib/observation/observation';
import type { Recorder } from '@/server/store/recorder/recorder';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { bundleSupportProgram } from '@/tests/support/recorder-bundle';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';
import { isLong } from '@/tests/support/runs';

/** `npm run test:long` kills the writer more often, and later. */
const rounds = isLong ? 50 : 3;
const mostAcknowledgements = isLong ? 120 : 60;

interface Acknowledged {
  seq: number;
  readonly pins: string[];
}

/** Kills the writer after a number of acknowledgements, during the next batch. Returns its output. */
async function writeAndKill(
  program: string,
  args: readonly string[],
  acknowledgements: number,
): Promise<Acknowledged> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const acked: Acknowledged = { seq: 0, pins: [] };
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('pin ')) acked.pins.push(line.slice(4));
    else acked.seq = Number(line);
    count += 1;
    if (count === acknowledgements) child.kill('SIGKILL');
  }
  await closed;
  expect(child.signalCode).toBe('SIGKILL');
  return acked;
}

async function everything(recorder: Recorder): Promise<Recorded[]> {
  const all: Recorded[] = [];
  for await (const page of recorder.replayAfter(0)) all.push(...page);
  return all;
}

it.each([
  ['all is kept', '1e12'],
  ['retention deletes meanwhile', '3000'],
])(
  `after kill -9 in the middle of writing, ${rounds} times over one data dir, all that was acknowledged is there (%s)`,
  async (_, maxCount) => {
    const program = bundleSupportProgram('recorder-crash-child');
    const dataDir = tempDataDir();
    const pins = new Set<string>();
    for (let round = 0; round < rounds; round++) {
      const acked = await writeAndKill(
        program,
        [dataDir, maxCount],
        1 + Math.floor(Math.random() * mostAcknowledgements),
      );
      for (const id of acked.pins) pins.add(id);

      const recorder = await openWholeRecorder({ dataDir });
      expect(recorder.stats().newestSeq).toBeGreaterThanOrEqual(acked.seq);
      const log = await everything(recorder);
      // The log is contiguous, except for what is pinned before it.
      const newest = recorder.stats().newestSeq;
      expect(log.at(-1)?.seq).toBe(newest);
      if (maxCount === '1e12') expect(log.map(({ seq }) => seq)).toEqual(log.map((_row, index) => index + 1));
      await checkBodies(recorder, log);
      if (maxCount === '1e12') await checkFold(recorder, log);
      const held = new Set((await recorder.pins()).map(({ id }) => String(id)));
      for (const id of pins) expect(held.has(id), `pin ${id}`).toBe(true);
      const checkpoint = await recorder.loadCheckpoint();
      if (checkpoint) {
        const seqs = checkpoint.clients.map(({ seq }) => seq);
        expect(Math.max(...seqs)).toBe(checkpoint.seq);
        if (maxCount === '1e12') {
          const world = worldAfter(log.filter(({ seq }) => seq <= checkpoint.seq));
          expect(new Map(checkpoint.clients.map((client) => [client.clientId, client]))).toEqual(world);
        }
      }
      const indexed = await recorder.countHistory({ kinds: ['client-config-changed'] });
      expect(indexed).toBe(log.length);
      await recorder.close();
    }
    const sql = new Database(path.join(dataDir, 'recording.sqlite'));
    expect(sql.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    sql.close();
  },
  60_000 + rounds * 15_000,
);

async function checkBodies(recorder: Recorder, log: readonly Recorded[]): Promise<void> {
  const hashes = new Set(log.slice(-3_000).map(hashOf));
  const bodies = await recorder.readBodies(hashes);
  expect(bodies.size).toBe(hashes.size);
  for (const { hash, bytes } of bodies.values()) {
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
  }
}

function worldAfter(observations: readonly Recorded[]): World {
  const world: World = new Map();
  for (const observation of observations) foldObservation(world, observation);
  return world;
}

/** Snapshots that a crash left must equal the fold of the log. */
async function checkFold(recorder: Recorder, log: readonly Recorded[]): Promise<void> {
  const middle = Math.floor(log.length * Math.random());
  const state = worldAfter(log.slice(0, middle + 1)).get('client-steady');
  const found = await recorder.readClientAt('client-steady', { seq: log[middle]?.seq ?? 0 });
  expect(found?.client).toEqual(state);
}

function hashOf(observation: Recorded): string {
  if (observation.kind !== 'client-config-changed') throw new Error(`unexpected ${observation.kind}`);
  return observation.changed[0]?.hash ?? '';
}
