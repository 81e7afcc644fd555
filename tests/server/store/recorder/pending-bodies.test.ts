import { existsSync, renameSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Clock, systemClock } from '@/server/observe';
import { builtProgram } from '@/server/project-root';
import { openRecorder } from '@/server/store/recorder/open-recorder';
import type { Recorder } from '@/server/store/recorder/recorder';
import { bodyOf, emissionOf } from '@/tests/support/builders/recorder-emissions';
import { patienceMs } from '@/tests/support/patience';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';
import { workerProgram } from '@/tests/support/worker-program';

const patient = { timeout: patienceMs(60_000) };
const retention = { maxAgeMs: 1e12, maxBytes: 1e12 };

async function start({ clock = systemClock, program }: { clock?: Clock; program?: string } = {}) {
  const dataDir = tempDataDir();
  const recorder = await openRecorder({ dataDir, clock, retention }, program);
  onTestFinished(() => recorder.close());
  return { recorder, dataDir };
}

const textOf = async (recorder: Recorder, content: string) => {
  const body = await recorder.readBody(bodyOf(content).hash);
  return body && new TextDecoder().decode(body.bytes);
};

describe('bodies that are not stored yet', () => {
  it('are read one by one, together, and for another thread', async () => {
    const { recorder } = await start({ clock: new ManualClock() });
    recorder.append(emissionOf(1, 'a'));
    recorder.append(emissionOf(2, 'b'));
    const hashes = ['a', 'b'].map((content) => bodyOf(content).hash);
    expect(await textOf(recorder, 'a')).toBe('a');
    expect([...(await recorder.readBodies(hashes)).keys()].sort()).toEqual([...hashes].sort());
    expect(await recorder.readPendingBodies(hashes)).toHaveLength(2);
    await recorder.flushed();
    expect(await recorder.readPendingBodies(hashes)).toEqual([]);
    expect(await textOf(recorder, 'a')).toBe('a');
  });

  it('are read while the recording cannot be written, and stored once it can', async () => {
    const { recorder, dataDir } = await start();
    const moved = `${dataDir}-moved`;
    renameSync(dataDir, moved);
    recorder.append(emissionOf(1, 'a'));
    await vi.waitFor(() => expect(recorder.stats().state).toBe('stopped'), patient);
    expect(await textOf(recorder, 'a')).toBe('a');
    renameSync(moved, dataDir);
    await vi.waitFor(() => expect(recorder.stats().state).toBe('recording'), patient);
    await recorder.flushed();
    expect(await recorder.readPendingBodies([bodyOf('a').hash])).toEqual([]);
    expect(await textOf(recorder, 'a')).toBe('a');
  });

  it('are stored by the next log thread when the one that was to store them ends', async () => {
    const clock = new ManualClock();
    const ended = path.join(tempDataDir(), 'ended');
    const program = workerProgram(`
      const { existsSync, writeFileSync } = await import('node:fs');
      await import(${JSON.stringify(builtProgram('recorder-worker'))});
      parentPort.on('message', ({ kind }) => {
        if (kind !== 'write' || existsSync(${JSON.stringify(ended)})) return;
        writeFileSync(${JSON.stringify(ended)}, '');
        process.exit(3);
      });`);
    const { recorder } = await start({ clock, program });
    recorder.append(emissionOf(7, 'kept'));
    // A write that the end of the thread broke is tried again after a while.
    await vi.waitFor(async () => {
      clock.advance(10_000);
      await recorder.flushed();
    }, patient);
    expect(existsSync(ended)).toBe(true);
    const [found] = await recorder.readObservations({ limit: 1, order: 'asc' });
    expect(found).toMatchObject({ at: 7 });
    expect(await recorder.readPendingBodies([bodyOf('kept').hash])).toEqual([]);
    expect(await textOf(recorder, 'kept')).toBe('kept');
    expect(await recorder.readGaps()).toEqual([]);
  });
});
