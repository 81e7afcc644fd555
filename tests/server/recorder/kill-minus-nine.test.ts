import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'libsql';
import { expect, it } from 'vitest';
import type { Recorded } from '@/lib/observation/observation';
import { systemClock } from '@/server/observe';
import { openRecorder } from '@/server/recorder/recorder';
import { bundleSupportProgram } from '@/tests/support/recorder-bundle';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';

const rounds = 6;

/** Kills the writer after so many acknowledgements, in the middle of the next batch; returns the last one it told. */
async function writeAndKill(program: string, dataDir: string, acknowledgements: number): Promise<number> {
  const child = spawn(process.execPath, [program, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  let acked = 0;
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    acked = Number(line);
    count += 1;
    if (count === acknowledgements) child.kill('SIGKILL');
  }
  await closed;
  expect(child.signalCode).toBe('SIGKILL');
  return acked;
}

it(`after kill -9 in the middle of writing, ${rounds} times over one data dir, all that was acknowledged is there`, async () => {
  const program = bundleSupportProgram('recorder-crash-child');
  const dataDir = tempDataDir();
  let checked = 0;
  for (let round = 0; round < rounds; round++) {
    const acked = await writeAndKill(program, dataDir, 1 + Math.floor(Math.random() * 120));

    const recorder = await openRecorder({
      dataDir,
      clock: systemClock,
      retention: { maxAgeMs: 1e12, maxBytes: 1e12 },
    });
    expect(recorder.stats().newestSeq).toBeGreaterThanOrEqual(acked);
    const hashes = new Set<string>();
    for await (const page of recorder.replayAfter(checked)) {
      for (const observation of page) {
        checked += 1;
        expect(observation.seq).toBe(checked);
        hashes.add(hashOf(observation));
      }
    }
    expect(checked).toBe(recorder.stats().newestSeq);
    const bodies = await recorder.readBodies(hashes);
    expect(bodies.size).toBe(hashes.size);
    for (const { hash, bytes } of bodies.values()) {
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
    }
    const checkpoint = await recorder.loadCheckpoint();
    if (checkpoint) expect(checkpoint.clients[0]?.seq).toBe(checkpoint.seq);
    await recorder.close();
  }
  const sql = new Database(path.join(dataDir, 'recording.sqlite'));
  expect(sql.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  sql.close();
}, 60_000);

function hashOf(observation: Recorded): string {
  if (observation.kind !== 'client-config-changed') throw new Error(`unexpected ${observation.kind}`);
  return observation.changed[0]?.hash ?? '';
}
