import { describe, expect, it, onTestFinished } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Recorded } from '@/lib/observation/observation';
import { seededRandom } from '@/server/lab/random';
import { openRecorder } from '@/server/store/recorder/open-recorder';
import type { Recorder } from '@/server/store/recorder/recorder';
import { makeDay } from '@/tests/support/builders/make-day';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';
import { isLong } from '@/tests/support/runs';

const startAt = Date.UTC(2026, 10, 20);
const hour = 3_600_000;

function dayOf(seed: number): Recorded[] {
  const options = { observations: 8_000, startAt, clients: 4, largeClients: 1, manyServices: 400, seed };
  const emissions = [...makeDay(options, { wire: 0, delta: 0 })].flat();
  return emissions.map(({ observation }, index) => ({ ...observation, seq: index + 1 }));
}

async function start(dataDir: string, clock: ManualClock, maxAgeMs: number): Promise<Recorder> {
  const recorder = await openRecorder({ dataDir, clock, retention: { maxAgeMs, maxBytes: 1e12 } });
  onTestFinished(() => recorder.close());
  return recorder;
}

/** Compares each client at some seqs with the fold of everything up to there. */
async function compare(recorder: Recorder, day: readonly Recorded[], from: number): Promise<void> {
  const random = seededRandom(from);
  const places = Array.from({ length: 8 }, () => from + Math.floor(random() * (day.length - from + 1)));
  const world: World = new Map();
  const wanted = new Set([from, day.length, ...places]);
  for (const observation of day) {
    foldObservation(world, observation);
    if (!wanted.has(observation.seq)) continue;
    for (const [clientId, state] of world) {
      const found = await recorder.readClientAt(clientId, { seq: observation.seq });
      expect(found?.client, `${clientId} at ${observation.seq}`).toEqual(state);
      expect(found?.incomplete).toBe('');
    }
  }
}

describe('readClientAt() with snapshots', () => {
  it.each(isLong ? [1, 2, 4, 5] : [1])(
    'returns the fold of everything up to any seq (seed %i)',
    async (seed) => {
      const day = dayOf(seed);
      const dataDir = tempDataDir();
      const clock = new ManualClock(startAt + 24 * hour);
      const first = await start(dataDir, clock, 1e12);
      for (const { seq: _, ...observation } of day.slice(0, 4_500)) first.append({ observation, bodies: [] });
      await first.flushed();
      await first.close();
      // The second process folds clients from the log for the next snapshots.
      const second = await start(dataDir, clock, 1e12);
      for (const { seq: _, ...observation } of day.slice(4_500)) second.append({ observation, bodies: [] });
      await second.flushed();
      await compare(second, day, 1);
    },
    60_000,
  );

  it('does so after retention has deleted the older part', async () => {
    const day = dayOf(3);
    const clock = new ManualClock(startAt + 24 * hour);
    const recorder = await start(tempDataDir(), clock, 8 * hour);
    for (const { seq, ...observation } of day) {
      recorder.append({ observation, bodies: [] });
      // Retention deletes whole blocks, so they must be small.
      if (seq % 600 === 0) await recorder.flushed();
    }
    await recorder.flushed();
    await recorder.saveCheckpoint(day.length, []);
    await recorder.applyRetention();
    const [oldest] = await recorder.readObservations({ limit: 1, order: 'asc' });
    expect(oldest?.seq).toBeGreaterThan(1_000);
    await compare(recorder, day, oldest?.seq ?? 0);
    clock.advance(4 * hour);
    await recorder.applyRetention();
    const [later] = await recorder.readObservations({ limit: 1, order: 'asc' });
    expect(later?.seq).toBeGreaterThan((oldest?.seq ?? 0) + 200);
    await compare(recorder, day, later?.seq ?? 0);
  });
});
